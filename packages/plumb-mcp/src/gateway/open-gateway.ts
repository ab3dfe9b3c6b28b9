// Opens a gateway from its specs. Its servers are started at once, and nothing waits for them.

import { normalize } from 'node:path'
import { hasErrors, serverBindings, showDiagnostics } from '@plumb/lang'
import { type Fault, fault } from '@plumb/wire'
import { SERVE_ROWS, type ServeOptions } from '../options.js'
import { type OpenedSpec, openSpec, type SpecsOptions, type ToolsOfSpecs } from '../tools/of-specs.js'
import { type CataloguedSpec, openGatewayCatalogue } from './catalogue.js'
import { gatewayTools } from './gateway-tools.js'

/** Undefined: all errors, in all specs, were reported. */
export const openGateway = async (serving: ServeOptions, options: SpecsOptions): Promise<ToolsOfSpecs | undefined> => {
  const { reporter } = options
  const { specs, maxOutput = SERVE_ROWS.maxOutput.byDefault } = serving
  const usage = wrongUse(serving)
  if (usage) {
    reporter.report(usage)
    return undefined
  }
  const opened: (OpenedSpec | undefined)[] = []
  for (const path of specs) opened.push(await openSpec(normalize(path), options))
  const bound = opened.map((spec) => spec && serverBindings(spec.program))
  for (const { diagnostics } of bound.filter((found) => found !== undefined)) {
    showDiagnostics(diagnostics, reporter, reporter.isJson)
    if (hasErrors(diagnostics)) reporter.status = 2
  }
  const ready = opened.flatMap((spec, i): CataloguedSpec[] => (spec ? [{ ...spec, servers: bound[i]?.servers ?? [] }] : []))
  const [first] = opened
  if (ready.length < specs.length || bound.some((found) => found && hasErrors(found.diagnostics)) || !first) return undefined
  const clash = sameName(ready)
  if (clash) {
    reporter.report(clash)
    return undefined
  }
  const warn = (warning: Fault) => reporter.warn(warning)
  const tools = gatewayTools({ catalogue: openGatewayCatalogue(ready, warn), program: first.program, maxOutput, warn })
  return { tools, programs: opened.flatMap((spec) => (spec ? [spec.program] : [])) }
}

const wrongUse = ({ specs, builtins, prompts }: Pick<ServeOptions, 'specs' | 'builtins' | 'prompts'>): Fault | undefined => {
  if (specs.length === 0)
    return fault('usage', '--gateway takes specs: their tools, and the values that are MCP servers, are what it offers')
  if (builtins) return fault('usage', "--gateway takes no --builtin: write 'use fs', or the tool, in a spec")
  return prompts === undefined ? undefined : fault('usage', '--gateway takes no --prompts: it offers tools alone')
}

const sameName = (specs: readonly CataloguedSpec[]): Fault | undefined => {
  const seen = new Set<string>()
  for (const { tools } of specs) {
    for (const { plan } of tools) {
      if (seen.has(plan.name)) return fault('duplicate_name', `two tools are named '${plan.name}': rename one`)
      seen.add(plan.name)
    }
  }
  return undefined
}
