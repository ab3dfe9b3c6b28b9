// Decodes bytes to text by byte-order mark, Content-Type, a declaration in the page, or by guessing UTF-8 or windows-1252.

const DECLARED = [
  /<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w:-]{1,40})/i,
  /^\s{0,99}<\?xml[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w:-]{1,40})/i,
]
/** Browsers search 1024 bytes; some pages begin with a long licence. */
const SEARCHED = 4096

export const decodeText = (bytes: Buffer, contentType: string): string => {
  const label = encodingOfMark(bytes) ?? encodingOfServer(contentType) ?? encodingOfPage(bytes, contentType)
  if (label === WINDOWS) return decodeWindows(bytes)
  if (label !== undefined) return new TextDecoder(label).decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return decodeWindows(bytes)
  }
}

const WINDOWS = 'windows-1252'
// 0x80 to 0x9f in windows-1252; some versions of Node.js decode them as ISO 8859-1 control characters.
const OF_WINDOWS =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
  '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178'

const decodeWindows = (bytes: Buffer): string =>
  bytes.toString('latin1').replace(/[\x80-\x9f]/g, (c) => OF_WINDOWS[c.charCodeAt(0) - 0x80] ?? c)

const encodingOfMark = (bytes: Buffer): string | undefined => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return bytes.toString('latin1', 0, 3) === '\xef\xbb\xbf' ? 'utf-8' : undefined
}

const encodingOfServer = (contentType: string): string | undefined =>
  findEncoding(/charset\s{0,9}=\s{0,9}["']?([^\s"';]{1,40})/i.exec(contentType)?.[1])

const encodingOfPage = (bytes: Buffer, contentType: string): string | undefined => {
  if (!/html|xml|^$/.test(contentType)) return undefined
  const start = bytes.toString('latin1', 0, SEARCHED)
  const label = findEncoding(DECLARED.map((pattern) => pattern.exec(start)?.[1]).find((found) => found !== undefined))
  // The declaration was readable as ASCII, so the page is not UTF-16.
  return label?.startsWith('utf-16') ? 'utf-8' : label
}

const findEncoding = (label: string | undefined): string | undefined => {
  if (label === undefined) return undefined
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}
