export { type CallSteps, type HeldCall, type HeldCalls, openHeldCalls } from './held-calls.js'
export {
  appendLine,
  askedLine,
  type CallToAsk,
  decisionLine,
  digestOf,
  isItself,
  type ListedCall,
  makeJournal,
  readCalls,
  stateNow,
} from './journal.js'
