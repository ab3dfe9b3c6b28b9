// What is refused in a configuration: untrusted values in what starts, addresses, instructs or guards, and secrets in what leaves.

import type { Bound } from '../names/names.js'
import type { Analysis } from './analysis.js'
import type { LabelledKey } from './config-uses.js'
import { isTagged, type Label, NO_TAGS, type Tags, type Trail, uniteTags } from './label.js'

/** `maySend`: its program, or its built-in, may send on what it is given. The labels of what it says by itself. */
export const holdTool = (bound: Bound, maySend: boolean, a: Analysis): Tags => {
  let own = NO_TAGS
  for (const key of a.keysOf(bound)) {
    const { untrusted, secret } = key.tags
    if (untrusted && key.use.does) refuse(bound, key, 'untrusted', untrusted, a)
    if (secret && (key.use.goes === 'away' || (key.use.goes === 'along' && maySend))) refuse(bound, key, 'secret', secret, a)
    if (key.use.isResult || key.use.goes === 'along') own = uniteTags(own, key.tags)
  }
  return own
}

/** The labels of what an agent is told, which its provider is shown. */
export const holdAgent = (bound: Bound, a: Analysis): Tags => {
  let read = NO_TAGS
  for (const key of a.keysOf(bound)) {
    const { untrusted, secret } = key.tags
    const isOwn = key.what === 'an agent'
    if (untrusted && key.use.does) refuse(bound, key, 'untrusted', untrusted, a)
    if (secret && key.use.goes === 'away' && !isOwn) refuse(bound, key, 'secret', secret, a)
    // A number that bounds it instructs nobody.
    if (isOwn && key.use.goes) read = uniteTags(read, key.use.does ? key.tags : { secret })
  }
  return isTagged(read) ? { untrusted: read.untrusted, open: read.untrusted, secret: read.secret } : NO_TAGS
}

const PROMPTS: ReadonlySet<string> = new Set(['prompt', 'prompt_file', 'prompts', 'skills'])

const refuse = (bound: Bound, { what, key, use, span, help }: LabelledKey, label: Label, trail: Trail, a: Analysis): void => {
  const { impl, name } = bound.binding
  const whose = `${impl.kind === 'agent' ? 'agent' : 'tool'} '${bound.name}'`
  const home = what === 'an agent' || what === 'a tool' ? whose : `${what} of ${whose}`
  const does = label === 'untrusted' ? use.does : 'leaves the machine'
  const isPrompt = what === 'an agent' && PROMPTS.has(key)
  const place = isPrompt ? `the prompt of ${whose}` : `'${key}' of ${home}`
  a.findings.add({
    label,
    sink: isPrompt ? place : `${place}, which ${does}`,
    span,
    trail,
    last: [{ text: `in ${place}`, span: name.span }],
    help: label === 'untrusted' ? help : "put it where a key belongs, into 'token' or 'env' of a server, or take the label from the param",
  })
}
