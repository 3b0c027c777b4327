// @ts-check
// Decodes one message: [u64 header_len][JSON header][arrays, 8-byte aligned], or plain JSON text.

/** @typedef {import("./types.d.ts").Frame} Frame */

/** @type {Record<string, (buffer: ArrayBuffer, at: number, length: number) => any>} */
const VIEWS = {
  u1: (buffer, at, length) => new Uint8Array(buffer, at, length),
  u4: (buffer, at, length) => new Uint32Array(buffer, at, length),
  i4: (buffer, at, length) => new Int32Array(buffer, at, length),
  f8: (buffer, at, length) => new Float64Array(buffer, at, length),
  // addresses stay far below 2^53, so doubles hold them exactly
  u8: (buffer, at, length) => Float64Array.from(new BigUint64Array(buffer, at, length), Number),
  i8: (buffer, at, length) => Float64Array.from(new BigInt64Array(buffer, at, length), Number),
};

const text = new TextDecoder();

/**
 * @param {ArrayBuffer | string} message
 * @returns {Frame}
 * @throws {Error} naming what does not fit
 */
export function decode(message) {
  if (typeof message === "string") return { header: JSON.parse(message), arrays: {} };
  if (message.byteLength < 8) throw new Error(`message of ${message.byteLength} bytes is no frame`);
  const length = Number(new DataView(message).getBigUint64(0, true));
  if (length > message.byteLength - 8) throw new Error(`header of ${length} bytes is cut short`);
  const header = JSON.parse(text.decode(new Uint8Array(message, 8, length)));
  /** @type {Frame["arrays"]} */
  const arrays = {};
  for (const { name, dtype, shape, offset } of header.arrays ?? []) {
    const view = VIEWS[dtype];
    if (!view) throw new Error(`array ${name} has unknown dtype ${dtype}`);
    const count = shape.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1);
    arrays[name] = view(message, 8 + length + offset, count);
  }
  return { header, arrays };
}
