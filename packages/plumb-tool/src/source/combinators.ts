// Tools made of other tools, and test doubles, from the keys of a spec.

import type { Json, ToolBody } from '@plumb/lang'
import { type Category, escapeControls, scrub } from '@plumb/wire'
import type { Tool } from '../call/tool.js'
import { choiceOf } from '../combine/choice.js'
import { handoffOf } from '../combine/handoff.js'
import { type PoolOrder, poolOf } from '../combine/pool.js'
import type { Run } from '../combine/run.js'
import { DEFAULT_RATE, failingOf, fileRecorder, flakyOf, mockOf, type Recorder, spyOf } from './test-doubles.js'

type Source = Exclude<
  Extract<ToolBody, { readonly kind: 'tool' }>['source'],
  'process' | 'command' | 'function' | 'agent' | 'builtin' | 'mcp'
>

/** `members` are the tools that the spec names, as parts, in order; lang has checked the keys. */
export const madeOfOthers = (
  source: Source,
  config: { readonly [key: string]: Json },
  members: readonly Tool[],
  hasSecrets: boolean,
): Run => {
  switch (source) {
    case 'pool':
      return poolOf(members, (config.by as PoolOrder | undefined) ?? 'round-robin')
    case 'handoff':
      return config.on === undefined ? choiceOf(members) : handoffOf(members, config.on as readonly string[])
    case 'mock':
      return mockOf(config.mock as Json)
    case 'spy':
      return spyOf(members[0] as Tool, typeof config.record === 'string' ? fileRecorder(config.record) : () => onStderr, hasSecrets)
    case 'flaky': {
      const seed = config.seed === undefined ? {} : { seed: config.seed as number }
      return flakyOf(members[0] as Tool, { rate: (config.rate as number | undefined) ?? DEFAULT_RATE, ...seed })
    }
    case 'failing':
      return failingOf(config.failing as Category)
  }
}

const onStderr: Recorder = (line) => {
  process.stderr.write(`${scrub(escapeControls(line))}\n`)
  return undefined
}
