// The options of plumb test.

import { choice, dollars, flag, list, PARAM_ROWS, ratio, share, type ValuesOf, value, whole, withDefault } from '@plumb/wire'
import { REPORTER_NAMES, type ReporterName } from './report/result.js'

const COMPARES = ['--variant', '--model', '--against']

export const TEST_ROWS = {
  filter: value('--filter <text>', 'run only the tests whose names hold this text'),
  reporter: withDefault<ReporterName>(choice('--reporter <name>', 'how results are written (default: %)', REPORTER_NAMES), 'text'),
  seed: value('--seed <n>', 'make random inputs from this number', whole(0)),
  /** Undefined: as many as there are processors. */
  jobs: value('--jobs <n>', 'run so many tests at once', whole(1)),
  ...PARAM_ROWS,
  isUpdate: flag('--update', 'write snapshots in place of comparing with them'),
  isLive: flag('--live', 'also run tests that ask models'),
  maxCalls: value('--max-calls <n>', 'ask models no more often, in all tests together', whole(1)),
  /** Nanodollars. */
  maxCost: value('--max-cost <dollars>', 'and spend no more on them', dollars),
  isRecording: { ...flag('--record', 'with --live: keep what models answer to tests that are recorded'), needs: ['--live'] },
  coverage: flag('--coverage', 'say what no test reached'),
  lcov: value('--lcov <file>', 'write what was reached to this file, as lcov does'),
  isWatching: flag('--watch', 'run them again whenever a file of them has changed'),
  isMutating: {
    ...flag('--mutate', 'change the spec in many ways, and say which changes no test notices'),
    excludes: ['--variant', '--against'],
  },
  from: { ...value('--from <dir>', 'write a test made from this record of a run'), excludes: ['--variant', '--against'] },
  provider: value('--provider <provider>', 'provider of agents that are live, before what the spec says'),
  /** Tests with live agents are run with each. */
  models: list('--model <model>', 'model of agents that are live, before what the spec says; several are compared'),
  variants: list('--variant <name: key=value, ...>', 'compare evaluations with these params or keys of agents; several times'),
  against: value('--against <rev>', 'compare with the spec as it was at this revision of git'),
  noWorse: { ...value('--no-worse <share>', 'fail unless each variant is surely no worse by this', share), needs: COMPARES },
  isBetter: { ...flag('--better', 'fail unless each variant is surely better'), needs: COMPARES },
  maxCostRatio: {
    ...value('--max-cost-ratio <ratio>', 'fail if a variant costs more than so many times the baseline', ratio),
    needs: COMPARES,
  },
  hasOrder: { ...flag('--judge-order', 'ask judges of pairs twice, with the two exchanged'), needs: COMPARES },
  isUntilDecided: { ...flag('--until-decided', 'ask no more rows than it takes to decide'), needs: COMPARES },
  rows: value('--rows <file>', 'write a line for each row of evaluations, and each variant'),
  markdown: { ...value('--markdown <file>', 'write the comparison as a comment on a change'), needs: COMPARES },
  html: { ...value('--html <file>', 'write the comparison as a page'), needs: COMPARES },
  docroot: value('--docroot <dir>', 'directory below which tools that are live may use files'),
}

export type TestCommandOptions = ValuesOf<typeof TEST_ROWS>
