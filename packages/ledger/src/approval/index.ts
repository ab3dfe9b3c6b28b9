export { type CallSteps, type HeldCall, type HeldCalls, openHeldCalls } from './held-calls.js'
export {
  appendLine,
  askedLine,
  type CallToAsk,
  type Decision,
  decisionLine,
  digestOf,
  isItself,
  isOpen,
  type ListedCall,
  makeJournal,
  readCalls,
  stateNow,
} from './journal.js'
export {
  type AnswerForm,
  answerForm,
  type PersonQuestion,
  questionOf,
  questionText,
  shownInput,
  shownQuestion,
  skippedFault,
  skippedWhy,
} from './person-question.js'
export { fitInput, folded } from './question.js'
