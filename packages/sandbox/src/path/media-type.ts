// The media type of a file by its first bytes, whatever it is called.

import { isUtf8 } from 'node:buffer'

/** `image/png`, as in RFC 6838; `text/plain` for UTF-8 without a NUL character; undefined: none of those that models take. */
export const mediaTypeOf = (bytes: Buffer): string | undefined => {
  const head = bytes.toString('latin1', 0, 12)
  const type = SIGNATURES.find(({ begins }) => begins.test(head))?.type
  if (type !== undefined) return type
  return bytes.length > 0 && !bytes.includes(0) && isUtf8(bytes) ? 'text/plain' : undefined
}

/** The types of images that models take. */
export const isImageType = (type: string | undefined): type is string => type?.startsWith('image/') === true

const SIGNATURES: readonly { readonly type: string; readonly begins: RegExp }[] = [
  { type: 'image/png', begins: /^\x89PNG\r\n.\n/s },
  { type: 'image/jpeg', begins: /^\xff\xd8\xff/ },
  { type: 'image/gif', begins: /^GIF8[79]a/ },
  { type: 'image/webp', begins: /^RIFF.{4}WEBP/s },
  { type: 'application/pdf', begins: /^%PDF-/ },
  { type: 'audio/wav', begins: /^RIFF.{4}WAVE/s },
  // With a tag, or a frame of layer III.
  { type: 'audio/mpeg', begins: /^(ID3|\xff[\xe2\xe3\xf2\xf3\xfa\xfb])/ },
]
