// A program that is checked again and again while it is written: what was found in a binding is valid as long as its text is the same, and all that
// a check may see of the others.

import type { Diagnostic, Report } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import { namedBy } from '../expression/infer/callee.js'
import type { Bound, Scope } from '../names/names.js'
import type { Binding } from '../parse/ast.js'
import { isChain } from '../parse/chain-parts.js'
import { isSelector } from '../plan/instance.js'

/** Gives the bare bindings that `map` applies in it. */
export type CheckBinding = (bound: Bound, report: Report) => readonly Bound[]

/** Of one text that changes, and of what it uses. It holds no program: texts, and places within a binding. */
export class CheckReuse {
  #seen: readonly string[] = []
  #known = new Map<string, Outcome>()

  /** The check of all bindings of a program: as `check` of each of them, one after the other. */
  over(scopes: readonly Scope[], check: CheckBinding): CheckBinding {
    const seen = scopes.some(leadsAstray) ? undefined : scopes.flatMap(seenOf)
    const isSame = seen?.length === this.#seen.length && seen.every((text, i) => text === this.#seen[i])
    const before = isSame ? this.#known : NONE
    const known = new Map<string, Outcome>()
    this.#seen = seen ?? []
    this.#known = known
    const byPath = new Map(scopes.map((scope) => [scope.module.path, scope]))
    let reported = 0
    return (bound, report) => {
      if (!seen || !isKept(bound)) return check(bound, report)
      const { span } = bound.binding
      const text = textOf(span)
      const key = `${bound.scope.module.path}\0${bound.name}`
      const found = before.get(key)
      if (found?.text === text) {
        // The text of before would keep all of its file in memory.
        known.set(key, { ...found, text })
        for (const d of found.diagnostics) report(placed(d, span))
        return found.applied.flatMap(({ path, name }) => byPath.get(path)?.bindings.get(name) ?? [])
      }
      const diagnostics: Diagnostic[] = []
      const applied = check(bound, (d) => {
        diagnostics.push(d)
        report(d)
      })
      reported += diagnostics.length
      if (reported <= MAX_KEPT && diagnostics.every((d) => isWithin(d, span)))
        known.set(key, {
          text,
          diagnostics: diagnostics.map((d) => lifted(d, span)),
          applied: applied.map(({ name, scope }) => ({ path: scope.module.path, name })),
        })
      return applied
    }
  }
}

/** Helps are searched for when they are read, and here they are: not for thousands of mistakes, of which few are shown. */
const MAX_KEPT = 200

interface Outcome {
  readonly text: string
  /** Their places count from the start of the binding. */
  readonly diagnostics: readonly Diagnostic[]
  readonly applied: readonly { readonly path: string; readonly name: string }[]
}

const NONE: ReadonlyMap<string, Outcome> = new Map()

// An agent and a tool are config, which is soon read.
const isKept = ({ category, binding: { impl } }: Bound): boolean =>
  category === 'stream' ? impl.kind !== 'agent' : category === 'base' && isChain(impl)

const textOf = ({ source, start, end }: Span): string => source.text.slice(start, end)

/** What a check of one binding may see of a module: all but what is inside processes. */
const seenOf = ({ module, bindings }: Scope): readonly string[] => [
  module.path,
  [...module.program.broken.keys()].join(),
  [...module.missing].join(),
  ...module.program.items.flatMap((item) =>
    item.kind === 'test' ? [] : item.kind === 'binding' ? seenOfBinding(item, bindings) : [textOf(item.span)],
  ),
]

const seenOfBinding = (item: Binding, bindings: ReadonlyMap<string, Bound>): readonly string[] => {
  const { impl, name, span } = item
  const bound = bindings.get(name.text)
  // The second of a name is none.
  if (bound?.binding !== item) return [name.text]
  if (bound.category !== 'stream' && isChain(impl)) return [textOf(span)]
  const head = textOf({ ...span, end: impl.span.start })
  if (impl.kind === 'plumb') return [head, impl.kind, impl.parameters.map(({ text }) => text).join()]
  return [head, isChain(impl) ? (isSelector(bound) ? 'filter' : 'chain') : impl.kind]
}

// A bare chain that names a process, which is an error, is looked at with what that holds.
const leadsAstray = ({ bindings }: Scope): boolean =>
  [...bindings.values()].some((bound) => bound.category !== 'stream' && isChain(bound.binding.impl) && namedBy(bound).some(isProcess))

const isProcess = ({ category }: Bound): boolean => category === 'stream' || category === 'unknown'

const spansOf = ({ span, related = [], path = [] }: Diagnostic): readonly Span[] => [span, ...[...related, ...path].map((r) => r.span)]

const isWithin = (d: Diagnostic, { source, start, end }: Span): boolean =>
  spansOf(d).every((span) => span.source === source && start <= span.start && span.end <= end)

const moved = (d: Diagnostic, to: (span: Span) => Span): Diagnostic => {
  const { severity, code, message, span, help, related, path } = d
  return {
    severity,
    code,
    message,
    span: to(span),
    ...(help === undefined ? {} : { help }),
    ...(related ? { related: related.map((r) => ({ ...r, span: to(r.span) })) } : {}),
    ...(path ? { path: path.map((step) => ({ ...step, span: to(step.span) })) } : {}),
  }
}

const NOWHERE = { path: '', text: '' }

const lifted = (d: Diagnostic, { start: base }: Span): Diagnostic =>
  moved(d, ({ start, end }) => ({ source: NOWHERE, start: start - base, end: end - base }))

const placed = (d: Diagnostic, { source, start: base }: Span): Diagnostic =>
  moved(d, ({ start, end }) => ({ source, start: start + base, end: end + base }))
