// The files of a run: a record as it is written, resumed (resume) and decided on (approvals); inputs that failed; whole files of commands.

export { clearDirectory, noRecord, type RunFile, readRunFile } from './directory.js'
export { identityOfRun } from './identity.js'
export { KEPT_DIRECTORY, keptPlaceOf, keptPlacesOf, refuseElsewhere } from './kept-answers.js'
export { openLineFile } from './line-file.js'
export { type ApproveOptions, decisionOn, showCalls, shownJson } from './listed-calls.js'
export { isBeingWritten } from './lock.js'
export { type AnswerOptions, decisionBy, showPending } from './pending.js'
export { openRecorder, type RecordDirectory } from './recorder.js'
export { Rejects } from './rejects.js'
export { notResumable, whyNotResumable } from './resume/not-resumable.js'
export { writeWhole } from './write-whole.js'
