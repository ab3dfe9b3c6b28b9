// JSON text as the bytes that the checks read.

/** A lone surrogate can be only in a string, and there as an escape; as bytes it would turn into U+FFFD. */
export const toBytes = (json: string): Buffer =>
  Buffer.from(MAY_HOLD_SURROGATE.test(json) ? json.replace(/\p{Cs}/gu, (c) => `\\u${c.charCodeAt(0).toString(16)}`) : json)

// In units: halves of pairs among them.
const MAY_HOLD_SURROGATE = /[\ud800-\udfff]/
