// Which characters a TrueType font has, by its table `cmap`: those that it lacks would be drawn as boxes.

/** Of the texts of a picture, in order; each once. Letters that have no width, and controls, are left out. */
export const missingIn = (svg: string, font: Buffer): readonly string[] => {
  const texts = [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) =>
    text.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))),
  )
  const has = charactersOf(font)
  const all = new Set(texts.flatMap((text) => [...text]))
  return [...all].filter((character) => !/[\p{Cc}\p{Cf}\p{Mn}\s]/u.test(character) && !has(character.codePointAt(0) ?? 0))
}

const FORMATS = { segments: 4, groups: 12 } as const

/** A font that cannot be read has all. */
const charactersOf = (font: Buffer): ((code: number) => boolean) => {
  const table = tableAt(font, 'cmap')
  if (table === undefined) return () => true
  const subtables = Array.from({ length: font.readUInt16BE(table + 2) }, (_, i) => table + font.readUInt32BE(table + 4 + 8 * i + 4))
  const readers = subtables.flatMap((at) => {
    const format = font.readUInt16BE(at)
    if (format === FORMATS.segments) return [(code: number) => isInSegments(font, at, code)]
    return format === FORMATS.groups ? [(code: number) => isInGroups(font, at, code)] : []
  })
  return (code) => readers.length === 0 || readers.some((read) => read(code))
}

const tableAt = (font: Buffer, name: string): number | undefined => {
  const count = font.readUInt16BE(4)
  const at = Array.from({ length: count }, (_, i) => 12 + 16 * i).find((entry) => font.toString('latin1', entry, entry + 4) === name)
  return at === undefined ? undefined : font.readUInt32BE(at + 8)
}

// Ends, a gap of two bytes, beginnings, deltas and offsets, each for all segments.
const isInSegments = (font: Buffer, at: number, code: number): boolean => {
  const bytes = font.readUInt16BE(at + 6)
  for (let i = 0; code <= 0xffff && i < bytes; i += 2) {
    if (font.readUInt16BE(at + 14 + i) < code) continue
    const start = font.readUInt16BE(at + 16 + bytes + i)
    if (start > code) return false
    const place = at + 16 + 3 * bytes + i
    const [delta, offset] = [font.readUInt16BE(at + 16 + 2 * bytes + i), font.readUInt16BE(place)]
    const glyph = offset === 0 ? code + delta : font.readUInt16BE(place + offset + 2 * (code - start))
    return (glyph & 0xffff) !== 0
  }
  return false
}

const isInGroups = (font: Buffer, at: number, code: number): boolean => {
  const count = font.readUInt32BE(at + 12)
  for (let i = 0; i < count; i++) {
    const group = at + 16 + 12 * i
    if (font.readUInt32BE(group) <= code && code <= font.readUInt32BE(group + 4)) return true
  }
  return false
}
