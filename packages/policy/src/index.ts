// Who may do what: effects of tools, grants, policies, and consent.

export {
  type AnswerQuestion,
  type AskAnswer,
  type AskTerminal,
  type TerminalQuestions,
  terminalApproval,
  terminalQuestions,
} from './ask-terminal.js'
export { type Authority, type Delegation, EFFECTS, type Effect, narrow, type PolicyRule, renewalMs } from './authority.js'
export { parseContext, parseGrant, readAuthority, readPolicy } from './authority-text.js'
export { builtinEffects } from './builtin-effects.js'
export { effectsOf } from './effects.js'
export { type FlowsAsked, withFlows } from './flows.js'
export { isOffered, type Permission, permit, type Subject } from './permit.js'
export { isOnFiles } from './rule.js'
