// JSON of a body as one line, as it is passed on. Its line breaks are never within a text.

const [LF, CR, SPACE] = [0x0a, 0x0d, 0x20]

export const onOneLine = (json: Buffer): Buffer => {
  if (!json.includes(LF) && !json.includes(CR)) return json
  const line = Buffer.from(json)
  for (let i = 0; i < line.length; i++) if (line[i] === LF || line[i] === CR) line[i] = SPACE
  return line
}
