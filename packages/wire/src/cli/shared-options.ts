// The options that several executables have.

import { MAX_LINE } from '../line/reader.js'
import { flag, list, value, withDefault } from './option.js'
import { lanes, rates, whole } from './option-value.js'

export const PARAM_ROWS = {
  set: list('--set <name=value>', 'give a param of the spec this value'),
  setFile: list('--set-file <file>', 'give params the values of this JSON object'),
}

export const FLOWS = flag('--flows', 'check where data may go, whatever the spec says')

/** What tools may do, and where. */
export const PERMISSION_ROWS = {
  grant: list('--grant <list>', 'effects that tools may have, such as fs.read,net'),
  docroot: value('--docroot <dir>', 'directory below which tools may use files'),
  policy: value('--policy <file>', 'rules on what tools may do, are asked for or denied'),
  context: list('--context <key=value>', 'what rules of a policy may ask for'),
}

export const MAX_LINE_ROW = withDefault(value('--max-line <bytes>', 'longest line taken (%)', whole(1)), MAX_LINE)

export const REQUIRE_SANDBOX = flag('--require-sandbox', 'refuse what cannot have a sandbox')

/** The model of agents. */
export const MODEL_ROWS = {
  provider: value('--provider <provider>', 'provider of agents, before what the spec says'),
  model: value('--model <model>', 'model of agents, before what the spec says'),
  allowHosts: list('--allow-host <host>', 'a further host that gets the key of its provider'),
}

/** How agents ask their model. */
export const REQUEST_ROWS = {
  rates: list('--rate <rate>', 'a minute: PROVIDER=REQUESTS/TOKENS', rates),
  lane: value('--lane <lane>', 'batch: ask in batches, for half the price', lanes),
  isPartial: flag('--partial', 'tell answers while they grow, as telemetry'),
  parallelToolCalls: flag('--no-parallel-tool-calls', 'one tool call of an agent after the other'),
}

/** Where answers of models are kept. */
export const CACHE_ROWS = {
  cache: value('--cache <dir>', 'keep answers there, and ask nothing that is kept'),
  isCacheOnly: { ...flag('--cache-only', 'with --cache: fail on what is not kept'), needs: ['--cache', '--kept-fd'] },
  keptFd: value('--kept-fd <n>', undefined, whole(1)),
  /** The place of the process in its parent's run, for kept answers. */
  place: value('--place <name>'),
}
