// Limits a server's answer to `max_output` characters: all of it enters a conversation, and is paid for again at each turn.

import type { McpContent, ServerConfig } from '@plumb/mcp-client'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import { charactersOf, cutHead, cutText } from '../../call/cut-text.js'
import type { JsonText } from '../../json-text.js'

/** In characters. */
const DEFAULT_MAX_OUTPUT = 100_000

/** The tool's, else its server's. */
export const maxOutputOf = (server: Pick<ServerConfig, 'max_output'>, ofTool?: unknown): number =>
  typeof ofTool === 'number' ? ofTool : (server.max_output ?? DEFAULT_MAX_OUTPUT)

/** The cost of a block other than its text, counted from the second on: empty blocks are not free. */
const FRAME_CHARACTERS = 30

/**
 * The text of all blocks together, with names and addresses, is at most `maxOutput` characters. The block that exceeds it is cut, and later
 * text is left out. Data of images, sounds and files does not count, and they stay.
 */
export const cutContent = (content: readonly McpContent[], maxOutput: number): { blocks: readonly McpContent[]; cutBytes: number } => {
  const sizes = content.map(sizeOf)
  let left = maxOutput
  const hasRoom = (cost: number): boolean => {
    if (cost > left) return false
    left -= cost
    return true
  }
  const isKept = content.map((block, index) => 'data' in block && hasRoom((sizes[index] as Size).frame))
  const blocks: McpContent[] = []
  let long: { readonly at: number; readonly block: McpContent; readonly text: string; readonly room: number } | undefined
  let droppedBytes = 0
  for (const [index, block] of content.entries()) {
    const { frame, text, bytes } = sizes[index] as Size
    if (isKept[index] || (!long && !('data' in block) && hasRoom(frame + charactersOf(text)))) blocks.push(block)
    else if (!long && 'text' in block && frame <= left) {
      long = { at: blocks.length, block, text, room: left - frame }
      blocks.push(block)
    } else {
      long ??= { at: blocks.push(NOTHING) - 1, block: NOTHING, text: '', room: 0 }
      droppedBytes += bytes
    }
  }
  if (!long) return { blocks: content, cutBytes: 0 }
  const { text, cutBytes } = droppedBytes === 0 ? cutText(long.text, long.room) : cutHead(long.text, long.room, droppedBytes)
  blocks[long.at] = { ...long.block, text } as McpContent
  return { blocks, cutBytes }
}

/** A value cannot be cut. `mediaCharacters` of it are not text. */
export const fitsOutput = (tool: string, json: JsonText, maxOutput: number, mediaCharacters = 0): Result<JsonText> => {
  const size = charactersOf(json) - mediaCharacters
  if (size <= maxOutput) return succeed(json)
  const why = `the result of tool '${tool}' has ${size} characters of JSON, ${maxOutput} are the limit: ${preview(json)}`
  return fail('too_large', `${why}; 'max_output' on the tool, or on its server in 'mcp', raises it`, { tool })
}

const NOTHING: McpContent = { type: 'text', text: '' }

interface Size {
  readonly frame: number
  readonly text: string
  /** Of everything but data. */
  readonly bytes: number
}

const sizeOf = (block: McpContent, index: number): Size => {
  const text = 'text' in block ? block.text : ''
  const rest = block.type === 'text' ? '' : JSON.stringify({ ...block, text: undefined, data: undefined })
  const frame = rest.length + (index === 0 ? 0 : FRAME_CHARACTERS)
  return { frame, text, bytes: Buffer.byteLength(text) + Buffer.byteLength(rest) }
}
