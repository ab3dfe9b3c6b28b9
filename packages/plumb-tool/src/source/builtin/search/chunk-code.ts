// Splits source text into chunks by declarations: text that begins at the left margin after a blank line.

import { headOf } from '../../../call/cut-text.js'
import { type Chunk, chunkLines, isBlankLine, type LineBlock, packBlocks } from './chunk.js'

// Lines that close a declaration, or comment on one.
const NO_DECLARATION = /^(\s|[})\]>;#@*/]|--|\(\*|"""|'''|end\b|begin\b|import\b|from\b|using\b|use\b|open\b|package\b|include\b)/

const MAX_HEADING = 120

export const chunkCode = (text: string): Chunk[] => {
  const lines = chunkLines(text)
  const blocks: LineBlock[] = []
  let start = 0
  let heading = ''
  for (const [at, line] of lines.entries()) {
    const next = lines[at + 1]
    if (heading === '' && !isBlankLine(line) && !NO_DECLARATION.test(line)) heading = headOf(line.trim(), MAX_HEADING)
    if (next !== undefined && !(isBlankLine(line) && !isBlankLine(next))) continue
    // A long declaration is also split at blank lines inside it; each part keeps its name.
    blocks.push({ start, end: at + 1, heading, isStart: false })
    start = at + 1
    if (next !== undefined && !/^\s/.test(next)) heading = ''
  }
  return packBlocks(lines, blocks)
}
