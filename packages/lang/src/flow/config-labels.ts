// The labels in a configuration: those of the params in each key, whether it names them, or a config value or a template that does.

import { agentKeys } from '../check/agent.js'
import type { KeyTable } from '../check/config.js'
import { toolKeys } from '../check/tool.js'
import type { Bound, Scope } from '../names/names.js'
import type { ObjectValue, Value } from '../parse/ast.js'
import { JSON_TYPE } from '../types/type.js'
import type { Analysis } from './analysis.js'
import { type LabelledKey, useOf } from './config-uses.js'
import { leavesIn, writtenIn } from './config-values.js'
import { begin, isTagged, NO_TAGS, type Tags, uniteTags } from './label.js'
import { isBelow } from './labelled-roots.js'
import { flat, PLAIN } from './shape.js'

const OURS = 'write the value into the spec, or take a param that nobody else sets, and say so by its type'

/** Of an agent or a tool, with those of its servers and its sandbox. */
export const labelledKeys = ({ binding: { impl }, scope }: Bound, a: Analysis): readonly LabelledKey[] =>
  impl.kind === 'agent'
    ? [...keysIn(impl.config, 'an agent', agentKeys(), scope, a), ...ofTemplate(impl.config, scope, a)]
    : impl.kind === 'tool'
      ? keysIn(impl.config, 'a tool', toolKeys(), scope, a)
      : []

const keysIn = (object: ObjectValue, what: string, table: KeyTable, scope: Scope, a: Analysis): readonly LabelledKey[] =>
  object.entries.flatMap(({ key, value }) => {
    const rule = table[key.text]
    if (rule?.isNames) return []
    const { inner } = rule ?? {}
    const parts = writtenIn(value, scope)
    const within = inner
      ? parts.flatMap((part) => (part.kind === 'object' ? keysIn(part.value, inner.what, inner.keys, part.scope, a) : []))
      : []
    const use = useOf(what, key.text)
    const own = { what, key: key.text, use, span: value.span }
    const tags = tagsOf(value, scope, a, inner !== undefined)
    const help = what === 'an agent' && key.text === 'prompt' ? 'give it to the agent as a part of its input' : OURS
    const labelled = isTagged(tags) ? [{ ...own, tags, help }] : []
    const files = use.file ? filesIn(value, use.file, scope, a).map((file) => ({ ...own, ...file })) : []
    return [...within, ...labelled, ...files]
  })

// A file that is below a labelled root has the label of that.
const filesIn = (value: Value, kind: 'bare' | 'path', scope: Scope, a: Analysis): readonly Pick<LabelledKey, 'tags' | 'help' | 'span'>[] =>
  leavesIn(value, scope).flatMap((part) => {
    const text = part.kind === 'literal' ? part.value.value : part.kind === 'param' ? JSON.parse(part.param.text ?? 'null') : undefined
    const span = part.kind === 'literal' ? value.span : part.value.span
    return a.labelledRoots.flatMap(({ path, labels, tool }) => {
      const file =
        typeof text === 'string'
          ? pathsIn(text, kind).find((name) => isBelow(name, path))
          : part.kind === 'param'
            ? part.param.name
            : undefined
      if (file === undefined) return []
      const trail = begin({ text: `from '${file}', below a root of '${tool}'`, span })
      return [
        {
          tags: Object.fromEntries(labels.map((label) => [label, trail])),
          span,
          help: `keep the file elsewhere, or let an agent read it by '${tool}'`,
        },
      ]
    })
  })

// A command line has several.
const pathsIn = (text: string, kind: 'bare' | 'path'): readonly string[] => {
  const [file = ''] = text.split('#')
  return [...(kind === 'bare' ? [file] : []), ...text.split(/\s+/).filter((name) => name.includes('/'))]
}

/** `isOutside`: not in objects, whose keys have rules of their own. */
const tagsOf = (value: Value, scope: Scope, a: Analysis, isOutside: boolean): Tags =>
  (isOutside ? writtenIn(value, scope) : leavesIn(value, scope))
    .map((part): Tags => {
      if (part.kind === 'param') return flat(a.param(part.param))
      if (part.kind !== 'template') return NO_TAGS
      return flat(a.expression(part.value, PLAIN, { input: JSON_TYPE, scope: part.scope, isConstant: true }))
    })
    .reduce(uniteTags, NO_TAGS)

// A file that is a template may name each param of the spec. It is not looked into.
const ofTemplate = ({ entries }: ObjectValue, scope: Scope, a: Analysis): readonly LabelledKey[] => {
  const flag = entries.find(({ key }) => key.text === 'template')?.value
  const file = entries.find(({ key }) => key.text === 'prompt_file')?.value
  if (!flag || !file || (flag.kind === 'value' && flag.value !== true)) return []
  const tags = [...scope.params.values()].map((param) => flat(a.param(param))).reduce(uniteTags, NO_TAGS)
  return isTagged(tags)
    ? [{ what: 'an agent', key: 'prompt_file', use: useOf('an agent', 'prompt_file'), tags, span: file.span, help: OURS }]
    : []
}
