// Who may do what: effects of tools, grants, policies, and the consent of a person.

export { type AskTerminal, terminalApproval } from './ask-terminal.js'
export { type Authority, EFFECTS, type Effect, type PolicyRule } from './authority.js'
export { parseContext, parseGrant, readAuthority, readPolicy } from './authority-text.js'
export { builtinEffects } from './builtin-effects.js'
export { effectsOf } from './effects.js'
export { type FlowsAsked, withFlows } from './flows.js'
export { type HandDown, narrow, renewalMs } from './narrow.js'
export { isOffered, type Permission, permit, type Subject } from './permit.js'
export { isOnFiles } from './rule.js'
