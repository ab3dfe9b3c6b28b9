export { ACCOUNTS, type Account, isOnThisMachine, KEY_VARIABLES, PROVIDER_NAMES, type ProviderLane, variablesIn } from './accounts.js'
export { childEnv, FOR_KEY_COMMANDS, requireSandbox } from './child/env.js'
export {
  type PlumbChild,
  type PlumbChildOptions,
  type PlumbProgram,
  siblingProgram,
  spawnPlumb,
  type Wrapper,
} from './child/plumb-child.js'
export type { ListenerOption, SpawnOptions } from './child/prepare.js'
export { resolveProgram } from './child/resolve-program.js'
export { runSync, type SyncOptions, type SyncResult } from './child/run-sync.js'
export { currentKept, setCurrentKept, shareBudget } from './child/shared.js'
export { type Child, spawnChild } from './child/spawn.js'
export type { Exit, LineChild } from './child/supervise.js'
export {
  type AgentLimit,
  agentLimit,
  type Claim,
  givenBudget,
  isCount,
  leastOf,
  type NextRequest,
  nextRequestIn,
  nextRequestOf,
  type RateLimit,
  readClaim,
  readRate,
  sayNextRequest,
} from './claim.js'
export {
  type CommandLineReader,
  describeCommand,
  noCommand,
  type ProgramForm,
  parseFully,
  parseWith,
  type ReadLine,
  readCommandLine,
  runParsed,
} from './cli/command-line.js'
export { announceInput, checkLine, type InputForm, suggestRaw } from './cli/input-line.js'
export { isDebugging, type Log, openLog } from './cli/log.js'
export {
  attributeOf,
  choice,
  flag,
  type GroupsOf,
  groupsOf,
  isGiven,
  list,
  longName,
  misusedOption,
  type OptionRow,
  type OptionRows,
  optionWords,
  type ParsedOptions,
  rowsOf,
  type ValuesOf,
  value,
  valuesOf,
  withDefault,
} from './cli/option.js'
export { again, demand, dollars, lanes, port, range, rates, ratio, seconds, share, whole } from './cli/option-value.js'
export { type ParsedLine, parsePlainly } from './cli/plain-options.js'
export { endWith, runProgram } from './cli/program.js'
export { joinRanges, Reporter, type ReporterOptions } from './cli/reporter.js'
export { SharedFaults } from './cli/shared-faults.js'
export {
  CACHE_ROWS,
  FLOWS,
  MAX_LINE_ROW,
  MODEL_ROWS,
  PARAM_ROWS,
  PERMISSION_ROWS,
  REQUEST_ROWS,
  REQUIRE_SANDBOX,
} from './cli/shared-options.js'
export { dieOf, onStop, type StopSignal } from './cli/signal.js'
export type { UsageError } from './cli/usage.js'
export { stdoutColumns, stdoutIsStyled, stdoutTerminal, writeStdout } from './cli/write-stdout.js'
export { nowMs, startDeadline } from './clock.js'
export { ensureDirectory } from './ensure-directory.js'
export {
  asShared,
  atIndex,
  type Category,
  type Code,
  ERRORS,
  exitStatus,
  type Fault,
  fault,
  isCode,
  isHeld,
  isRetryable,
  isShared,
} from './error.js'
export { openAnonymousFile, openAnonymousLog } from './fd/anonymous-file.js'
export { DELIVERY_FD, type Deliveries, type DeliveryLog, joinDeliveries, openDeliveryLog } from './fd/deliveries.js'
export { joinLineLog, type Ledger, type LineLog, openLedger, openLineLog } from './fd/ledger.js'
export { isFileInput, isTerminal, openDataOutput, openInput, openLineInput, openLineOutput, openOutput } from './fd/open.js'
export {
  type InitialMemory,
  openStateFile,
  openStateLog,
  type Remembered,
  readRemembered,
  type StateFile,
  type StateLog,
} from './fd/state-file.js'
export { DIRECTIONS, FDS, type FdName, inheritedFds, mayBeInherited, parseFds } from './fd/table.js'
export { IdempotencyCache, type IdempotencyOptions, RESULT_DROPPED } from './idempotency-cache.js'
export { isAbsent } from './is-absent.js'
export { isRecord } from './is-record.js'
export { canonicalJson, canonicalTree } from './json/canonical.js'
export { Items } from './json/items.js'
export { eachMember } from './json/members.js'
export { checkJson, parseJson } from './json/parse.js'
export { parseTree } from './json/parse-tree.js'
export { compileSchema, flawText, type SchemaCheck, type SchemaFlaw } from './json/schema.js'
export { guardSchema } from './json/schema-guard.js'
export { type FitsSchema, openFitsSchema } from './json/schema-value.js'
export { isTooDeep, MAX_JSON_DEPTH } from './json/skip.js'
export { stringOf, type Tree } from './json/tree.js'
export { whyUnusable } from './json/usable-schema.js'
export { AsyncLineReader } from './line/async-reader.js'
export { readControl } from './line/control-reader.js'
export {
  type Envelope,
  enclose,
  encloseEof,
  encloseUnreadable,
  envelopeHead,
  hasPortKey,
  isEnvelope,
  parseEnvelope,
  splitEnvelope,
  unreadableIn,
} from './line/envelope.js'
export { hintMinorGc } from './line/minor-gc.js'
export { type LineBatcher, LineReader, type LineReaderOptions, MAX_LINE } from './line/reader.js'
export { scanLines } from './line/scan-lines.js'
export type { LineSink, LineSource } from './line/stream.js'
export { LineWriter, type LineWriterOptions, unquoted } from './line/writer.js'
export { MAX_NANO, toDollars, toNano } from './money.js'
export { nearest } from './nearest.js'
export { NumberedLine, textOfError as wordsOfError } from './numbered/line.js'
export { type Sent, SentMessages } from './numbered/sent-messages.js'
export {
  controlText,
  DEFAULT_PORT,
  doneText,
  errorText,
  seqLine,
  telemetryLine,
  telemetryText,
  valueLine,
  valueText,
  waitingText,
} from './numbered/write.js'
export { escapeControls, escapeLines, preview, replaceHidden, truncate } from './preview.js'
export { proxiesOf } from './proxies.js'
export { readBytes } from './read-bytes.js'
export { isFault, numbersIn, type Reported, readReported, showReported } from './reported.js'
export { andThen, fail, map, orElse, type Result, succeed } from './result.js'
export { addSecret, isSecretName, scrub, scrubHead } from './scrub.js'
export { mapLimit, Semaphore } from './semaphore.js'
export { sha256Of } from './sha256-of.js'
export { type Bootstrap, openBootstrap } from './spec/bootstrap.js'
export { type GivenOptions, readGivenValues } from './spec/given-values.js'
export {
  type Around,
  type Bundle,
  besideSpec,
  bundledFiles,
  diskFiles,
  readFiles,
  readSpec,
  readSpecFrom,
  type SourceFiles,
  searchPath,
  withAround,
  withParams,
  withText,
} from './spec/source-files.js'
export { systemReason } from './system-reason.js'
export { type ApprovalOutcome, type OfInput, type Settled, type Telemetry, type TelemetryLines, TelemetryWriter } from './telemetry.js'
export { besidePrompt, setPrompt } from './terminal/open-prompt.js'
export { hasStyles, paint, type Style, type Styled, sgr, styledText } from './terminal/style.js'
export { wrappedTable } from './terminal/table.js'
export { breakable, padWidth, textWidth, wrapWords } from './terminal/width.js'
export { wrapStyled } from './terminal/wrap.js'
export { isTokenCount, MAX_CALL_TOKENS, readUsage, type TokenCounts, totalTokens } from './tokens.js'
export {
  type Dispatcher,
  errorAnswer,
  type InboundRequest,
  readCallAnswer,
  readRequest,
  type ToolAnswer,
  type ToolCaller,
  type ToolRequest,
  writeAnswer,
  writeRequest,
} from './tool-protocol.js'
