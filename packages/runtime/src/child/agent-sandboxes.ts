// The sandboxes of agents that are programs: read before anything is started.

import { agentOf, type Bound, type Graph } from '@plumb/lang'
import type { AgentSandbox } from '@plumb/tool/internal'
import { type Fault, type Reporter, type SourceFiles, succeed } from '@plumb/wire'
import { findDocroot } from '../options/docroot.js'

interface Asked {
  readonly docroot: string | undefined
  readonly files: SourceFiles
}

/** Undefined: one is impossible, which was reported. */
export const openBoxes = async (
  graph: Graph,
  { docroot, files }: Asked,
  reporter: Reporter,
): Promise<ReadonlyMap<Bound, AgentSandbox> | undefined> => {
  const boxes = new Map<Bound, AgentSandbox>()
  const bounds = new Set(graph.nodes.flatMap(({ work }) => (work.kind === 'agent' ? [work.bound] : [])))
  let hasFailed = false
  for (const bound of bounds) {
    const plan = agentOf(bound)
    if (plan.config.command === undefined || plan.config.via !== undefined) continue
    const { openAgentSandbox } = await import('@plumb/tool/internal')
    const warn = (warning: Fault) => reporter.warn({ ...warning, process: plan.name })
    const directory = docroot === undefined ? succeed('.') : findDocroot(docroot)
    const box = directory.ok ? await openAgentSandbox(plan, directory.value, files, { warn }) : directory
    if (!box.ok) reporter.report({ ...box.error, process: plan.name })
    else if (box.value) boxes.set(bound, box.value)
    hasFailed ||= !box.ok
  }
  return hasFailed ? undefined : boxes
}
