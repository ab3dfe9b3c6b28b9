// The initial messages of a conversation (`history`), with the images that they name, which are files below the docroot.

import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { sep } from 'node:path'
import type { Json } from '@plumb/lang'
import { isImageType, mediaTypeOf } from '@plumb/sandbox'
import { besideSpec, type Fault, fail, fault, preview, type Result, succeed, systemReason } from '@plumb/wire'
import type { ChatMessage } from '../provider/provider.js'

export interface HistorySources {
  /** The spec that names the files. */
  readonly specPath: string
  readonly docroot: string
  /** It has the effect fs.read. */
  readonly mayReadFiles: boolean
}

const MAX_IMAGE_BYTES = 20 * 1024 * 1024

/** `history` has been checked by lang. Each unreadable image is a fault of its own. */
export const readHistory = (history: Json | undefined, sources: HistorySources): { messages: ChatMessage[]; faults: Fault[] } => {
  const faults: Fault[] = []
  const readPart = (part: Json): Json => {
    const { type, path } = part as { readonly type: string; readonly path?: string }
    const image = type === 'image' && path !== undefined ? readImage(path, sources) : undefined
    if (image?.ok === false) faults.push(image.error)
    return image?.ok ? image.value : part
  }
  const messages = ((history ?? []) as unknown as readonly ChatMessage[]).map(({ role, content }) => ({
    role,
    content: Array.isArray(content) ? content.map(readPart) : content,
  }))
  return { messages, faults }
}

const readImage = (path: string, { specPath, docroot, mayReadFiles }: HistorySources): Result<Json> => {
  const named = `the image '${preview(path, 200)}'`
  if (!mayReadFiles) return fail('config_invalid', `${named} is a file, and 'fs.read' is not granted`)
  const beside = besideSpec(path, specPath)
  try {
    // Beside the prompt, else in the docroot.
    const place = realpathSync(existsSync(beside) ? beside : besideSpec(path, `${docroot}/.`))
    if (!`${place}`.startsWith(`${realpathSync(docroot)}${sep}`))
      return fail('config_invalid', `${named} lies outside of the docroot; name its directory with --docroot`)
    const { size } = statSync(place)
    if (size > MAX_IMAGE_BYTES) return fail('config_invalid', `${named} has ${size} bytes, and at most ${MAX_IMAGE_BYTES} are taken`)
    const bytes = readFileSync(place)
    const media_type = mediaTypeOf(bytes)
    if (!isImageType(media_type)) return fail('config_invalid', `${named} is not a png, jpeg, gif or webp`)
    return succeed({ type: 'image', media_type, data: bytes.toString('base64') })
  } catch (error) {
    return { ok: false, error: fault('file_not_found', `${named} cannot be read: ${systemReason(error as NodeJS.ErrnoException)}`) }
  }
}
