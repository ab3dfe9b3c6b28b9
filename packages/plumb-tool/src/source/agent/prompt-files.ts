// What a prompt file brings in, held against what may be read, before it is used.

import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Fault, fault, preview } from '@plumb/wire'
import { readPromptReferences } from '../program-files/prompt-references.js'
import { type PromptReach, whyNotRead } from './prompt-reach.js'

/** Why the prompt is not used; undefined: nothing is against it. */
export const whyPromptForbidden = (file: string, reach: Omit<PromptReach, 'folder'>): Fault | undefined => {
  const { files, isWhole } = readPromptReferences(file)
  if (!isWhole) return fault('path_denied', `the prompt '${preview(file, 200)}' brings in more files than can be looked at`, { path: file })
  const folder = dirname(file)
  for (const path of files) {
    if (!existsSync(path)) continue
    const why = whyNotRead(path, { ...reach, folder }, `the prompt '${preview(file, 200)}' brings in '${preview(path, 200)}'`)
    if (why) return why
  }
  return undefined
}
