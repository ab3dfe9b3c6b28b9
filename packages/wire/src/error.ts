// The one table of error codes (plumb-wire(5), Errors): exit statuses, `plumb explain` and the man pages come from it.

/** Only `unavailable` may succeed when tried again; only `config` means that nothing was started (exit 2). */
export type Category = 'config' | 'invalid' | 'not_found' | 'denied' | 'internal' | 'unavailable'

interface Entry {
  readonly category: Category
  /** What it means, one sentence without a full stop. */
  readonly meaning: string
  /** What a person can do about it. */
  readonly remedy: string
}

const of =
  (category: Category) =>
  (meaning: string, remedy: string): Entry => ({ category, meaning, remedy })

const config = of('config')
const invalid = of('invalid')
const notFound = of('not_found')
const denied = of('denied')
const internal = of('internal')
const unavailable = of('unavailable')

// biome-ignore format: a table, one code an entry
export const ERRORS = {
  // How a program was called.
  usage: config('the command line cannot be understood',
    'see --help for what this program takes'),
  unknown_option: config('an option was given that this program does not have',
    'see --help for its options, and look for a typing mistake'),
  missing_option: config('an option or setting that is needed was given neither on the command line, nor in the spec, nor in the environment',
    'give it in one of the three places; the error names them'),
  missing_key: config('no API key for the chosen provider is in the environment',
    'export the variable that the error names, or choose provider eliza, which needs none'),
  file_not_found: config('a file or program that was named cannot be found, read or run',
    'check the path, what it is relative to, and its permissions'),
  fd_invalid: config('--fds names no list of descriptors from 3 to 7, or one that its parent did not open',
    "write --fds 4,5 or --fds none, and open each one, as in 'plumb-agent --fds 6 a.plumb 6< control'"),

  record_invalid: config('a directory is not a record of this run: it holds something else, or the record of another spec or of other options',
    'name another directory; the error says what the record lacks'),

  // Errors in a spec; found before anything is started.
  spec_invalid: config('the spec does not hold what this program needs of it, such as exactly one agent',
    'choose a binding by option, or change the spec'),
  syntax_error: config('the text of the spec does not follow the grammar',
    'fix the place that is underlined; plumbing(5) has the grammar'),
  unknown_name: config('a name is used that nothing in this file defines',
    'define it with let, bring it in with use, or fix the spelling'),
  unknown_type: config('a type is named that nothing in this file defines',
    'define it with type, qualify it with its module, or fix the spelling'),
  unknown_field: config('a field is used that the record does not have',
    'use a field of the type that the error shows'),
  unknown_function: config('an expression calls a function that does not exist',
    'use one that plumbing(5) lists under expressions'),
  unknown_module: config('a module that is used cannot be found or read',
    'put the file beside the spec or on PLUMB_PATH, or name it by path'),
  undeclared_port: config('a process has no port of that name',
    'use a port of its signature; the error lists them'),
  module_cycle: config('modules use each other in a circle',
    'move what they share into a module that uses neither'),
  type_cycle: config('a type contains itself with no way to end',
    'let it refer to itself through an array, a map, an optional field or a sum'),
  definition_cycle: config('a binding is made of itself, so that laying it out would never end',
    'break the circle that the error prints; loops are wired inside a plumb'),
  duplicate_name: config('two things in one scope have the same name',
    'rename one of the two places shown'),
  overlapping_sum: config('two variants of a sum accept the same value, so that they cannot be told apart',
    'give each variant a field with a literal of its own, such as kind'),
  type_mismatch: config('two types that must fit each other do not',
    'change one of the two, or put a map between them'),
  arity_mismatch: config('the number of ports, branches or arguments is not the one that is needed here',
    'give as many as the error asks for'),
  annotation_invalid: config('an annotation is unknown here or has a value of the wrong kind',
    'use @description, @min, @max or @tool where plumbing(5) allows them'),
  config_invalid: config('an entry of a configuration is unknown, or its value has the wrong type or is out of range',
    'fix the entry; the man page lists the keys and their values'),
  lower_not_total: config('a morphism that may drop messages or wait for others is used where each message needs one answer',
    'put it inside a plumb, or use map; only id, map, copy and discard can be lowered, and agent and plumb'),
  bare_in_stream: config('a tool, whose types are bare, is used in a pipeline of streams',
    'write ! before its types if it is a map, or give the tool to an agent'),
  stream_in_base: config('a stream process is used where a bare function from one message to one result is needed',
    'lower it with tool { process: … }'),
  effect_in_expression: config('a tool, or a binding that names one, is called in an expression',
    'put it on the stream by itself, as in map(f) ; map(…): an expression has no effects'),
  unwired_input: config('nothing is wired to the input of a process that is used',
    'wire something to it, or take the process out'),
  not_a_process: config('a name that stands for a type, a value or a tool is wired like a process',
    'wire an agent, a plumb, a chain or a morphism'),
  not_a_tool: config('a name in tools: stands for something that agents cannot call',
    "lower a process with tool { process: … }, or write '@tool true' above a bare morphism"),
  main_missing: config('the file has no main, so there is nothing to run',
    "define 'let main : … = …', or choose a binding with --binding"),
  unused_binding: config('warning: a binding is defined and never used',
    'use it or delete it; nothing else follows from it'),
  odd_place: config('warning: an argument of spawn by place reaches telemetry, where replies to control may be meant',
    'name the port: telemetry=… or ctrl_out=…'),
  pooling_unsupported: config('a database is spoken to through a pooler in transaction mode, where locks do not hold',
    'give the URL of the database itself, or of a pooler in session mode'),
  cannot_run: config('the program is right, but what it asks for cannot run here',
    'ask for what there is; the error says what that is'),
  lone_name: config('a name is neither a field nor a binding: an error on json, else a warning, since it means the whole input',
    "write 'value' where the whole input is meant; else fix the name"),
  odd_template: config('warning: a hole is written as other languages write those of a template: here it is text',
    'write $"…{x}…"; where a dollar or a brace is meant, write it as \\u0024 or \\u007b'),
  never_fires: config('a barrier or a cycle of a body waits for a first message that nothing can send',
    'feed it from an input, or take away the wait; the error names the place'),
  dead_wire: config('warning: an output is never fed, an input never read, or a channel never fed or never read',
    'wire it, or delete it'),
  unread_output: config('warning: nobody reads the answers of an agent or a tool, though they are paid for',
    'wire its output, or take it away; discard reads it on purpose'),
  endless_loop: config('warning: nothing in a cycle can end a message that goes round in it',
    'let a filter lead out of the cycle'),
  repeated_name: config('warning: a name is twice in one chain of a body, where it is one process that feeds itself',
    'give the second a name of its own, or wire the chain outside of the body'),
  origin_needed: config('a program that answers only some of its inputs is used where it must be known which it answers',
    'write answers: "each" or "numbered" in its agent if that is so, or put it before the place where branches part'),
  sandbox_too_narrow: config('warning: a tool declares an effect that its sandbox does not let it have',
    "leave the effect out, or open the sandbox for it; plumb-tools(7) has its keys"),
  missing_glyph: config('warning: the font of png pictures lacks characters of this one, which are boxes in it',
    'draw it as svg, which is shown with the fonts of the machine'),
  spec_changed: config('warning: a run goes on with a record although the spec or an option has changed since',
    'nothing, if that is meant: what is the same is not asked again; --same refuses instead'),
  skill_name: config('warning: a skill has another name than its folder',
    'rename one of the two: other programs look a skill up by its folder'),
  skill_tools: config('warning: a skill says that it uses tools which the agent does not have',
    'add them to the tools of the agent if its work needs them; a skill grants nothing'),
  skill_link: config('warning: a link among the skills leads to one that is not read',
    'name the folder that it leads to; links are not followed, for they may lead anywhere'),
  odd_capital: config('warning: a type or module begins with a small letter, or a binding with a capital',
    'rename it; nothing else follows from it'),
  protocol_invalid: config('a protocol, or what holds to one, is not right: a part is unreachable, endless or ambiguous, or an end of a conversation is used twice or not at all',
    'change the place that is underlined; see plumb-protocols(7)'),
  untrusted_flow: config('what an outsider may have written could come to command; the path says how',
    'take the tool away, put a closed type, an approval or endorse in between, or say untrusted in the type; see plumb-flows(7)'),
  secret_flow: config('what must not leave could leave; the path says how',
    'take the way away, put declassify in between, or say secret in the type; see plumb-flows(7)'),

  // Data that came in, or would have gone out.
  invalid_json: invalid('a line is not a JSON value',
    'fix the program that wrote it; -R takes lines of plain text'),
  invalid_utf8: invalid('a line holds bytes that are not UTF-8',
    'convert the source, for instance with iconv -t UTF-8'),
  line_too_long: invalid('a line is longer than the limit',
    'send less at once, or raise the limit with --max-line'),
  too_deep: invalid('a value is nested more than 512 deep',
    'flatten the value'),
  too_large: invalid('something is larger than the limit on what is taken in, computed or shown; the error names it and its limit',
    'make it smaller, or cut it into parts'),
  truncated_line: invalid('the input ended in the middle of the last line',
    'look whether the program that wrote it was cut short'),
  input_type_mismatch: invalid('a message does not have the type that its port declares',
    'fix the message or the declared type; path says which part it is, and { id: int, ... } takes other fields too'),
  output_type_mismatch: invalid('a result does not have the type that its process or tool declares',
    'fix the program or prompt that made it, or the declared type'),
  bad_envelope: invalid('a line is JSON but no envelope {"__port":NAME,"msg":VALUE} or {"__port":NAME,"eof":true}',
    'write one envelope a line, or leave --mux out'),
  patch_invalid: invalid('a patch does not follow its grammar, or contradicts itself',
    'fix the line of the patch that the error names; plumb-builtins(7) has the grammar'),
  context_not_found: invalid('lines that a patch wants to change are not in the file',
    'read the file again and copy its lines; the error shows the nearest'),
  context_ambiguous: invalid('lines that a patch wants to change are in several places of the file',
    "give more lines around them, or an anchor behind '@@'"),
  unpaired: invalid('a barrier held messages at the end that had no partner',
    'look why its branches gave different numbers of messages'),
  rejected: invalid('an expression refused this message with fail(text), and the text says why',
    'look at the message, or at the condition under which fail is'),
  evaluation_failed: invalid('an expression could not be computed for this message, as when it divides by zero',
    'guard the expression with if, has or ??'),
  unsupported_media: invalid('an image, document or audio is of another kind than its bytes say, or of one that the provider does not take',
    'convert it to a kind that the error names, or take another provider'),
  context_overflow: invalid('the conversation is longer than the model takes; the error has the numbers that the server gave',
    'set a shorter memory, write amnesiac: true, or take a model with a larger context window'),
  provider_refused: invalid('the provider did not accept the request',
    "read the provider's own words in the error; check model, max_tokens, temperature and request"),
  bad_reply: invalid('the other side answered with something that is not a reply of its API',
    'check that endpoint names an API of this kind, and look for a proxy that answers in its place'),
  concession: invalid('warning: a model or its server refused something that the spec asks for, and the answers are made without it',
    'change the spec, or take a model that has it'),
  usage_unknown: invalid('warning: what a call of a model used is not known, so that a budget cannot count it exactly',
    'let the program report usage on descriptor 3, with whole numbers of tokens; else read the bill of the provider'),
  tool_changed: invalid('warning: an MCP server says something else of one of its tools than when it was first listed',
    'look at the tool as it is now, with plumb-mcp tools, before trusting it further'),

  protocol_violation: invalid('a call or a message came that the protocol does not allow at this point',
    'make what the error names as allowed first, or change the protocol; see plumb-protocols(7)'),
  protocol_cut: invalid('one side of a conversation ended before the protocol lets it',
    'look why it ended; a protocol may end where it has end'),

  // Something named at run time that is missing.
  unknown_tool: notFound('a tool was called that is not offered here',
    'add it to the tools of the agent, or call one of those listed'),
  unknown_skill: notFound('a skill was asked for that the agent does not have',
    'name one of those that the error lists'),
  unknown_port: notFound('an envelope names a port that the process does not have',
    'use a name from the table of file descriptors or a parameter of main'),
  no_such_file: notFound('a path given to a tool leads to nothing',
    'list the directory to see what there is'),
  no_such_page: notFound('a web address leads to nothing',
    'look for a mistake in it, or start at a page that links to it'),
  cache_miss: notFound('no answer to a request is kept, and --cache-only makes no request',
    'run it once without --cache-only, so that it is asked and kept'),

  // Something that is not allowed.
  budget_spent: denied('the run has used up the calls, tokens or time it was given',
    'raise --max-cost, --max-calls, --max-total-tokens or --deadline; each request reserves all of max_tokens'),
  permission_denied: denied('the grants or the policy do not allow this effect',
    'grant it with --grant or in the policy, if that is meant'),
  approval_required: denied('the call needs the consent of a person, and no one gave it',
    'answer at the terminal or on the control channel, or let the call wait with --record DIR --park'),
  parked: denied('a call waits for the consent of a person, and its message with it; nothing of it is lost',
    "see 'plumb approvals DIR', decide with 'plumb approve DIR ID', and go on with 'plumb --resume DIR'"),
  in_doubt: denied('a call had begun when the run stopped, so that it may have been made; it is not made again unasked',
    "look whether it was made; then 'plumb approve DIR ID' makes it again, and with --deny it is not"),
  path_denied: denied('a path leads outside the allowed roots, or to a file that is kept from tools',
    'use a path below the docroot, or name a further root in the spec'),
  run_exists: denied('a run of that name has ended, is submitted by another process, or is of another spec',
    'choose another name; plumb runs lists those that there are'),
  input_changed: denied('the input does not begin with the lines that the run has taken before',
    'give the same input to go on with the run, or another name to begin a new one'),
  file_exists: denied('a file would be made where there is one already',
    'change that one, or choose another path'),
  file_changed: denied('a file is not the one that was read, so that writing it would lose what others wrote',
    'read it again, and make the change to what it holds now'),
  program_changed: denied('a program or function file that a tool of the run could write is not what it was when the run was loaded',
    'look at what was made of it; start again if it is meant'),
  not_doubled: denied('a test came to an agent or a tool that reaches outside, and nothing stands in for it',
    "give it answers under 'models' or 'tools', or name it in 'live' to let it run"),
  memory_changed: denied('a memory is not the one that was read, so that replacing it would lose what was said since',
    'read it again, and make the new one of what it holds now; set_memory without if_memory replaces any'),
  address_denied: denied('an address is private, local or otherwise kept from tools',
    'grant net.private, if that is meant'),
  unauthorized: denied('the other side did not accept the key or token',
    'check that the key is the right one and still valid'),
  answer_refused: denied('the provider, or a filter of its own, declined to answer',
    'say it differently, or choose another model'),

  // A failure of this program, or of a child.
  tool_crashed: internal('a tool ended with an exception, or without an answer',
    'call it alone with plumb-tool call to see why'),
  child_failed: internal('a child process could not be started, ended badly, or ended before its work was done',
    'read what it wrote on stderr; run the same command by hand'),
  write_failed: internal('output could not be written',
    'check that stdout is open and the disk is not full'),
  read_failed: internal('input could not be read',
    'check the device or the connection that it comes from'),
  overflow: internal('more messages wait than the limit allows',
    'look for a loop that makes more than it consumes, or raise --max-in-flight'),
  tool_limit: internal('the calls of tools for one message reached max_tool_calls, or a chain made more than 64',
    'raise max_tool_calls (2 allow one call), or let the prompt ask for less'),
  depth_limit: internal('tools start processes that call tools, deeper than is of any use',
    'look for an agent that has itself, or a tool that runs its own spec, among its tools'),
  trace_limit: internal('a trace ended, and what its until asks for still does not hold',
    'raise max, or look why the tool does not get there'),
  law_broken: internal('a law of composition does not hold for a tool',
    'look whether it gives the same result for the same input; --seed repeats the run'),
  cancelled: internal('the work was cancelled on request',
    'send the message again if the answer is still wanted'),
  internal: internal('this program has a bug',
    'report it with the whole error'),

  // Something outside that may recover.
  timeout: unavailable('no answer came in time',
    'try again, or allow more time'),
  rate_limited: unavailable('the other side asks for fewer requests',
    'wait for retry_after seconds, and send fewer at once'),
  overloaded: unavailable('the other side has more work than it can take',
    'try again later'),
  connection_failed: unavailable('no connection could be made, or it broke',
    'check the address, the network and the proxy'),
  breaker_open: unavailable('calls are held back because the last ones all failed',
    'wait until the breaker lets one through again, and look why they failed'),
  engine_unavailable: unavailable('the database that holds the run cannot be reached, or does not do what it is asked',
    'start it, or look at its log; workers come back by themselves as long as their --patience lasts'),
  engine_full: unavailable('warning: the database that holds the run has no room on its disk',
    'make room there; the run goes on by itself, and nothing is lost'),
  no_worker: unavailable('warning: no worker serves a part of the run',
    'start plumb work there with the same spec and options; plumb runs shows what waits'),
  lease_lost: unavailable('warning: what a worker had in hand was given to another meanwhile, as after it was stopped',
    'nothing: what came of it there counts'),
  mcp_dead: unavailable('the connection to an MCP server is lost for this session',
    'start again; read the stderr of the server for the reason'),
  batch_left: unavailable('warning: a batch that is no longer waited for is still worked on by its provider, and billed',
    'go on with --resume, or with the same --cache: it is waited for then, and not sent again'),
} as const satisfies Record<string, Entry>

export type Code = keyof typeof ERRORS

/** The wire object itself, as on stderr, in `is_error` content, on ctrl_out and on telemetry. */
export interface Fault {
  readonly error: Code
  readonly category: Category
  readonly detail: string
  readonly [extra: string]: unknown
}

/** Extras never replace `error`, `category` or `detail`. */
export const fault = (code: Code, detail: string, extras: Readonly<Record<string, unknown>> = {}): Fault => {
  const head = { error: code, category: ERRORS[code].category, detail }
  return { ...head, ...extras, ...head }
}

const SHARED = Symbol('shared')

/** The same error, of one of several inputs that fail with one cause: where a person reads it, one error names them all. */
export const asShared = (error: Fault): Fault => ({ ...error, [SHARED]: true }) as Fault

export const isShared = (error: Fault): boolean => SHARED in error

/** The error of one element of a list: `index` is the position in the outermost list, `indexes` those in all, if there are several. */
export const atIndex = (error: Fault, index: number): Fault => {
  const { index: inner, indexes: all, ...rest } = error
  const within = Array.isArray(all) ? all : typeof inner === 'number' ? [inner] : []
  return { ...rest, index, ...(within.length > 0 ? { indexes: [index, ...within] } : {}) } as Fault
}

/** What failed for the command of a key is an input: the run itself was started. */
export const exitStatus = ({ category, key_command }: Fault): 1 | 2 => (category === 'config' && key_command === undefined ? 2 : 1)

export const isRetryable = ({ category }: Fault): boolean => category === 'unavailable'

/** The message waits for a person: it has not failed, and nothing may replace it. */
export const isHeld = ({ error }: Fault): boolean => error === 'parked' || error === 'in_doubt'

export const isCode = (text: string): text is Code => Object.hasOwn(ERRORS, text)
