// Chunks: the pieces of a file that searches find and show, each some whole lines that belong together.

export interface Chunk {
  /** From 1, inclusive. */
  readonly startLine: number
  readonly endLine: number
  /** The headings above the piece, if any. */
  readonly heading: string
  readonly text: string
}

/** Lines that should stay together; indices from 0, `end` exclusive. */
export interface LineBlock {
  readonly start: number
  readonly end: number
  readonly heading: string
  /** Begins a new chunk. */
  readonly isStart: boolean
}

/** Separates nested headings. */
export const HEADING_SEPARATOR = ' > '

const MAX_CHARACTERS = 2000

/** Joins short neighbours and splits long blocks at lines, and long lines at characters. */
export const packBlocks = (lines: readonly string[], blocks: readonly LineBlock[]): Chunk[] => {
  const chunks: Chunk[] = []
  let open: LineBlock | undefined
  const close = (): void => {
    if (open) chunks.push(...cut(lines, open))
    open = undefined
  }
  for (const block of blocks) {
    if (!open || block.isStart || sizeOf(lines, open.start, block.end) > MAX_CHARACTERS) {
      close()
      open = block
    } else open = { ...open, end: block.end, heading: block.heading.startsWith(open.heading) ? block.heading : open.heading }
  }
  close()
  return chunks
}

export const chunkLines = (text: string): string[] =>
  text
    .replace(/^\ufeff/, '')
    .split('\n')
    .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))

export const isBlankLine = (line: string): boolean => line.trim() === ''

const sizeOf = (lines: readonly string[], start: number, end: number): number => {
  let size = 0
  for (let at = start; at < end; at++) size += (lines[at] as string).length + 1
  return size
}

const cut = (lines: readonly string[], { start, end, heading }: LineBlock): Chunk[] => {
  const chunks: Chunk[] = []
  let from = start
  let size = 0
  const emit = (to: number): void => {
    let [first, last] = [from, to]
    while (first < last && isBlankLine(lines[first] as string)) first++
    while (last > first && isBlankLine(lines[last - 1] as string)) last--
    const text = lines.slice(first, last).join('\n')
    for (const piece of pieces(text)) chunks.push({ startLine: first + 1, endLine: last, heading, text: piece })
  }
  for (let at = start; at < end; at++) {
    const { length } = lines[at] as string
    if (at > from && size + length > MAX_CHARACTERS) {
      emit(at)
      from = at
      size = 0
    }
    size += length + 1
  }
  emit(end)
  return chunks
}

/** Several pieces only if a single line is too long. Never splits a surrogate pair. */
const pieces = (text: string): string[] => {
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + MAX_CHARACTERS, text.length)
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--
    parts.push(text.slice(at, end))
    at = end
  }
  return parts
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
