// The options of plumb-mux.

import { flag, type GroupsOf, MAX_LINE_ROW, type ProgramForm, value } from '@plumb/wire'
import { version } from '../package.json'

const MUX_GROUPS = {
  mux: {
    isUnwrapped: flag('--unwrap', 'the inverse: envelopes inside, descriptors outside'),
    fds: value('--fds <list>', "which of 3 to 7 there are: '3,6,7' or 'none'"),
    tellsUnreadable: flag('--tell-unreadable', 'say in its place which line of the command could not be read'),
    tee: value('--tee <file>', 'record every line, with its time and direction'),
    replay: value('--replay <file>', 'play a record back, to a command where one is given'),
    maxLine: { ...MAX_LINE_ROW, text: 'longest message taken (%)' },
  },
}

export const MUX_FORM: ProgramForm<typeof MUX_GROUPS> = {
  name: 'plumb-mux',
  version,
  description: 'Gives a command real descriptors 0, 1 and 3 to 7, and carries them in envelopes on stdin and stdout.',
  usage: '[options] -- command...',
  operands: { '[command...]': 'the program to run, with its arguments' },
  maxOperands: Number.POSITIVE_INFINITY,
  passesThrough: true,
  groups: MUX_GROUPS,
  examples: [
    'plumb-mux -- ./agent.sh',
    'plumb-mux --tee session.jsonl -- plumb-agent a.plumb',
    'plumb-mux --unwrap -- ssh host plumb-mux -- plumb-agent a.plumb',
  ],
}

export type MuxArguments = GroupsOf<typeof MUX_GROUPS>['mux'] & {
  /** The program and its arguments; empty when a record alone is played back. */
  readonly command: readonly string[]
}
