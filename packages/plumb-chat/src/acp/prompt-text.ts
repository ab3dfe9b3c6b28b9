// Converts a message of an editor to the text that a program takes.

import type { ContentBlock } from '@agentclientprotocol/sdk'
import { fail, type Result, succeed } from '@plumb/wire'

/** Files come as links, or whole where the editor embeds them; images and audio are not announced, and refused. */
export const promptText = (blocks: readonly ContentBlock[]): Result<string> => {
  const texts: string[] = []
  for (const block of blocks) {
    const text = textOfBlock(block)
    if (text === undefined) return fail('unsupported_media', `a program of plumb takes text here, and no ${kindOf(block)}`)
    texts.push(text)
  }
  const text = texts.join('\n\n')
  return text.trim() === '' ? fail('input_type_mismatch', 'the message is empty') : succeed(text)
}

const textOfBlock = (block: ContentBlock): string | undefined => {
  if (block.type === 'text') return block.text
  if (block.type === 'resource_link') return `[${block.title ?? block.name}](${block.uri})`
  if (block.type !== 'resource' || !('text' in block.resource)) return undefined
  const { uri, text } = block.resource
  const fence = fenceFor(text)
  return `${uri}\n${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`
}

const kindOf = (block: ContentBlock): string => (block.type === 'resource' ? 'embedded file of bytes' : block.type)

// Longer than any run of backquotes in the text, as CommonMark requires.
const fenceFor = (text: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  return '`'.repeat(longest + 1)
}
