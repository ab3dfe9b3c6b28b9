// The user's message for an input with media: text, with each medium as a block in its place.

import { readFile, stat } from 'node:fs/promises'
import { findInTree, type Json, mediaKindOf, type Type } from '@plumb/lang'
import { type Fault, fail, fault, parseTree, preview, type Result, succeed, systemReason } from '@plumb/wire'
import { valueOf } from '@plumb/wire/json'
import type { UserInput } from '../io/intake.js'
import type { ContentBlock } from '../provider/provider.js'
import { attachedBlock, loadMedia, MAX_FILE_BYTES, type MediaReach, readMediaValue } from './load.js'

export interface ContentOptions {
  readonly input: Type
  /** Files for every input, from the command line. */
  readonly attach: readonly string[]
  readonly reach: MediaReach
}

/** Maximum bytes of all media of one message. */
const MAX_MESSAGE_BYTES = 2.5 * MAX_FILE_BYTES

/** Fails if a file cannot be attached. */
export const openContentReader = async (options: ContentOptions): Promise<Result<(input: UserInput) => Promise<Result<Json>>>> => {
  const { attach } = options
  const attached: ContentBlock[] = []
  for (const path of attach) {
    const block = await readAttached(path)
    if (!block.ok) return block
    attached.push(block.value)
  }
  return succeed(async (said) => {
    const found = await placedMedia(said, options)
    if (!found.ok) return found
    const blocks = [...found.value, ...attached]
    return succeed(blocks.every(({ type }) => type === 'text') ? said.text : (blocks as readonly unknown[] as Json))
  })
}

const readAttached = async (path: string): Promise<Result<ContentBlock>> => {
  const refuse = (code: 'file_not_found' | 'config_invalid', why: string) => fail(code, `--attach names '${preview(path, 200)}': ${why}`)
  try {
    const stats = await stat(path)
    if (!stats.isFile()) return refuse('file_not_found', 'it is not a regular file')
    if (stats.size > MAX_FILE_BYTES) return refuse('config_invalid', `it has ${stats.size} bytes, and at most ${MAX_FILE_BYTES} are taken`)
    const block = attachedBlock(path, await readFile(path))
    return block.ok ? block : refuse('config_invalid', block.error.detail)
  } catch (error) {
    return refuse('file_not_found', systemReason(error as NodeJS.ErrnoException))
  }
}

const placedMedia = async ({ text, isString }: UserInput, { input, reach }: ContentOptions): Promise<Result<readonly ContentBlock[]>> => {
  const whole: readonly ContentBlock[] = [{ type: 'text', text }]
  if (isString) return succeed(whole)
  const buf = Buffer.from(text)
  const tree = parseTree(buf, 0, buf.length)
  if (tree.kind === 'fault') return succeed(whole)
  const blocks: ContentBlock[] = []
  let at = 0
  let size = 0
  for (const { node, path } of findInTree(input, buf, tree, mediaKindOf)) {
    const block = await loadMedia(readMediaValue(valueOf(node, buf)), reach)
    if (!block.ok) return { ok: false, error: placed(block.error, path) }
    size += sizeOf(block.value)
    if (size > MAX_MESSAGE_BYTES)
      return fail('too_large', `the media of this message are more than ${MAX_MESSAGE_BYTES} bytes in base64`, { at: path })
    if (node.start > at) blocks.push({ type: 'text', text: buf.toString('utf8', at, node.start) })
    blocks.push(block.value)
    at = node.end
  }
  if (at === 0) return succeed(whole)
  if (at < buf.length) blocks.push({ type: 'text', text: buf.toString('utf8', at) })
  return succeed(blocks)
}

const sizeOf = (block: ContentBlock): number => ('data' in block ? block.data.length : 'text' in block ? block.text.length : 0)

const placed = ({ error, category: _, detail, ...extras }: Fault, path: string): Fault =>
  fault(error, path === '' ? detail : `at ${path}: ${detail}`, extras)
