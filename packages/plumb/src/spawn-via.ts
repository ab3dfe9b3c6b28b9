// An agent that runs elsewhere (agent.md, `via`): everything that it has here on descriptors, it gets there in envelopes on one stream.

import { dirname, isAbsolute, join } from 'node:path'
import type { AgentPlan } from '@plumb/lang'
import { type Child, childEnv, type Result, readSpec, spawnChild } from '@plumb/wire'
import { type AgentStart, ENVELOPE_BYTES, envNames } from './agent-start.js'
import { envelopedChild } from './enveloped-child.js'
import { viaCommand } from './via.js'

/** plumb-agent takes its spec from the first envelope, on this port, and what it may do from then on from later ones. */
const SPEC_PORT = 'spec'

export const spawnVia = (via: readonly string[], { plan, program, fds, settings }: AgentStart): Result<Child> => {
  const { files, giver, handedOn, maxLine, report } = settings
  // The same words for every agent, none of which a shell would touch: options travel with the spec.
  const command = program ? ['plumb-mux', '--', ...program] : ['plumb-agent', '--mux', '--spec-envelope']
  const child = spawnChild({ command: viaCommand(via, command), env: childEnv('foreign', envNames(plan)), isForeign: true })
  if (!child.ok) return child

  const { name } = plan.bound
  const enveloped = envelopedChild({
    child: child.value,
    fds,
    maxLine: maxLine + ENVELOPE_BYTES,
    report: (fault) => report({ ...fault, detail: `'${name}' gave what is no message: ${fault.detail}`, process: name }),
  })
  if (!program) {
    const grant = giver.grantTo(plan)
    const args = ['--agent', name, '--telemetry', '--max-line', String(maxLine + ENVELOPE_BYTES), ...handedOn]
    const bundle = files.bundle(plan.specPath)
    const sent = { ...bundle, files: { ...bundle.files, ...besides(plan) }, args, authority: grant?.() }
    enveloped.send(SPEC_PORT, JSON.stringify(sent))
    if (grant) giver.keepRenewed((authority) => enveloped.send(SPEC_PORT, JSON.stringify({ authority })), grant)
  }
  return { ok: true, value: enveloped.child }
}

// The files that the spec names for this agent; one that cannot be read here is looked for there. A bare name of a prompt is no file.
const besides = ({ config, specPath }: AgentPlan): Readonly<Record<string, string>> => {
  const prompts = ((config.prompts ?? []) as readonly string[]).filter((name) => name.includes('/'))
  const names = config.script === undefined ? prompts : [...prompts, config.script as string]
  const paths = names.map((name) => (isAbsolute(name) ? name : join(dirname(specPath), name)))
  const texts = paths.map((path) => [path, readSpec(path)] as const)
  return Object.fromEntries(texts.flatMap(([path, text]) => (text.ok ? [[path, text.value]] : [])))
}
