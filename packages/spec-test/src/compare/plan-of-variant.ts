// The test of a variant: today's rows, expectations, scripts and judges, over the binding of that name in the variant's spec.

import { type Bound, isWirable, type Program, portsOfInstance, type TestPlan, type TestPort } from '@plumb/lang'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import type { VariantSpec } from './variant-spec.js'

/** `new`: the variant has no such binding. */
export const planOfVariant = (plan: TestPlan, own: Program, { name, program, path }: VariantSpec): Result<TestPlan | 'new'> => {
  if (program === own) return succeed(plan)
  const here = own.entry.module.path
  const find = ({ scope, name: called }: Bound): Bound | undefined => {
    const file = scope.module.path === here ? path : scope.module.path
    return program.scopes.find(({ module }) => module.path === file)?.bindings.get(called)
  }
  const of = find(plan.of)
  if (!of) return succeed('new')
  const refuse = (why: string): Result<never> =>
    fail('usage', `the test ${JSON.stringify(preview(plan.name))} is not for the variant '${preview(name)}': ${why}`)
  if (of.category !== plan.of.category) return refuse(`'${plan.of.name}' is not of the same kind there`)
  const [inputs, outputs] = portsOf(of)
  const unfit = whyUnfit(plan.inputs, inputs, 'takes') ?? whyUnfit(outputs, plan.outputs, 'gives')
  if (unfit !== undefined) return refuse(`'${plan.of.name}' ${unfit}`)
  /** Under its name in the variant too: judges stay as they are. */
  const both = <T>(entries: Iterable<readonly [Bound, T]>): Map<Bound, T> =>
    new Map([...entries].flatMap(([bound, value]) => [bound, find(bound)].flatMap((one) => (one ? [[one, value] as const] : []))))
  return succeed({
    ...plan,
    of,
    inputs,
    outputs,
    models: both(plan.models),
    tools: both(plan.tools),
    live: new Set(both([...plan.live].map((bound) => [bound, true] as const)).keys()),
    calls: plan.calls.map((calls) => ({ ...calls, of: find(calls.of) ?? calls.of })),
  })
}

const portsOf = (of: Bound): readonly [readonly TestPort[], readonly TestPort[]] => {
  const json = { kind: 'json' } as const
  if (of.category !== 'stream') return [[{ name: 'input', type: of.inputs[0] ?? json }], [{ name: 'output', type: of.outputs[0] ?? json }]]
  const { inputs, outputs } = portsOfInstance(of)
  const typed = ({ name, type }: { readonly name: string; readonly type?: TestPort['type'] | undefined }) => ({ name, type: type ?? json })
  return [inputs.map(typed), outputs.map(typed)]
}

const whyUnfit = (sources: readonly TestPort[], targets: readonly TestPort[], does: 'takes' | 'gives'): string | undefined => {
  const names = (ports: readonly TestPort[]) => ports.map(({ name }) => name).join(', ')
  if (names(sources) !== names(targets)) return `has other ports there`
  const at = sources.findIndex(({ type }, i) => isWirable(type, (targets[i] as TestPort).type) === 'no')
  return at < 0 ? undefined : `${does} another type there`
}
