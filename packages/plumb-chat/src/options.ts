// The options of plumb-chat.

import { flag, type GroupsOf, MODEL_ROWS, optionWords, PARAM_ROWS, PERMISSION_ROWS, REQUEST_ROWS, value } from '@plumb/wire'

export const CHAT_GROUPS = {
  chat: {
    eval: value('-e, --eval <text>', 'the program itself, in place of a file'),
    /** The agent to talk to, in place of main. */
    agent: value('--agent <name>', 'talk to that agent, not to main'),
    servesAcp: flag('--acp', 'serve an editor: the Agent Client Protocol on stdin and stdout'),
    showsThinking: flag('--thinking', 'show what a model thinks, where it is reported'),
    keepsHistory: flag('--no-history', 'neither read nor keep what is typed'),
    /** The default, in the words of other programs. */
    areCallsParallel: flag('--parallel-tool-calls'),
  },
  /** For any program that reads the spec. */
  params: PARAM_ROWS,
  /** For the program of the conversation. */
  program: {
    ...MODEL_ROWS,
    provider: { ...MODEL_ROWS.provider, text: 'eliza, anthropic, openai or a server by its name, not what the spec says' },
    model: { ...MODEL_ROWS.model, text: 'model of the provider, not what the spec says' },
    parallelToolCalls: REQUEST_ROWS.parallelToolCalls,
    ...PERMISSION_ROWS,
    toolCommand: value('--tool-command <program>', 'run this program in place of plumb-tool'),
  },
}

export type Spec =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'text'; readonly text: string }
  /** ELIZA, or the requested provider, without a prompt. */
  | { readonly kind: 'none' }

export interface ChatOptions extends GroupsOf<typeof CHAT_GROUPS> {
  readonly spec: Spec
}

/** The values of params, as words. */
export const paramWords = ({ params }: ChatOptions): readonly string[] => optionWords(CHAT_GROUPS.params, params)

/** All that the program of the conversation is given, as words. */
export const programWords = (options: ChatOptions): readonly string[] => [
  ...paramWords(options),
  ...optionWords(CHAT_GROUPS.program, options.program),
]
