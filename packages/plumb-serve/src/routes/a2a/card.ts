// What other agents read first: who this is, where it is spoken to, and its skills, one for each served binding.

import type { AgentCard, AgentSkill } from '@a2a-js/sdk'
import { resolve } from '@plumb/lang'
import { version } from '../../../package.json'
import type { Binding } from '../../binding/binding.js'

const PROTOCOL = '1.0'

export interface CardOptions {
  readonly bindings: readonly Binding[]
  /** Where the client has found it. */
  readonly origin: string
  readonly hasTokens: boolean
}

export const cardOf = ({ bindings, origin, hasTokens }: CardOptions): AgentCard => {
  const skills = bindings.map(skillOf)
  const modes = (of: (skill: AgentSkill) => readonly string[]): string[] => [...new Set(skills.flatMap(of))]
  const scheme = { $case: 'httpAuthSecurityScheme', value: { description: '', scheme: 'Bearer', bearerFormat: '' } } as const
  return {
    name: bindings.length === 1 ? (bindings[0]?.name ?? 'plumb') : 'plumb',
    description: bindings.map(describe).join('; '),
    supportedInterfaces: [{ url: `${origin}/a2a`, protocolBinding: 'JSONRPC', tenant: '', protocolVersion: PROTOCOL }],
    provider: undefined,
    version,
    capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
    securitySchemes: hasTokens ? { token: { scheme } } : {},
    securityRequirements: hasTokens ? [{ schemes: { token: { list: [] } } }] : [],
    defaultInputModes: modes(({ inputModes }) => inputModes),
    defaultOutputModes: modes(({ outputModes }) => outputModes),
    skills,
    signatures: [],
  }
}

const describe = ({ name, description }: Binding): string => description ?? name

const skillOf = (binding: Binding): AgentSkill => ({
  id: binding.name,
  name: binding.name,
  description: describe(binding),
  tags: ['plumb'],
  examples: [],
  inputModes: modesOf(binding.inputs[0]),
  outputModes: modesOf(binding.outputs[0]),
  securityRequirements: [],
})

const modesOf = (type: Binding['inputs'][0]): string[] =>
  type && resolve(type).kind === 'string' ? ['text/plain'] : ['application/json', 'text/plain']
