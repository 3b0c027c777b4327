# Poolscope in a container: CPU by default, no root, a token printed at the start.
#
#   docker build --tag poolscope .
#   docker run --publish 127.0.0.1:8000:8000 poolscope          # prints the address with its token
#   docker run --gpus all … poolscope --device cuda             # flags of `poolscope serve` go last
#
# TORCH_INDEX: the package index that torch alone comes from. Without it pip chooses, on x86 the build
# with CUDA (several GB, runs on a CPU as well); an index of CPU-only builds makes a small image.
ARG PYTHON_IMAGE=python:3.11-slim

FROM ${PYTHON_IMAGE} AS build
ARG TORCH_INDEX=""
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /src
RUN python -m venv /opt/poolscope
COPY requirements.lock ./
# torch by itself: the largest layer, and the one that changes least.
RUN /opt/poolscope/bin/pip install ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} --no-deps "$(grep '^torch==' requirements.lock)"
COPY pyproject.toml README.md LICENSE ./
COPY app app
COPY pools pools
COPY static static
COPY templates templates
# The lock file as constraints: what runs is pinned, what only develops stays out.
RUN /opt/poolscope/bin/pip install --constraint requirements.lock .

FROM ${PYTHON_IMAGE}
ENV PATH=/opt/poolscope/bin:$PATH PYTHONUNBUFFERED=1 OMP_NUM_THREADS=1
RUN useradd --system --uid 10001 --create-home --home-dir /data poolscope
COPY --from=build /opt/poolscope /opt/poolscope
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/livez', timeout=2)"]
ENTRYPOINT ["poolscope", "serve", "--host", "0.0.0.0", "--port", "8000", "--data-dir", "/data", "--generate-token"]
