// An assistant with mail, a calendar and files, as programs whose flows hold: one for each shape that a task of it can have.

/** Reads only; `secret`: what a stranger may not have. */
const READING = ['search_emails', 'get_unread_emails', 'get_day_calendar_events', 'search_files', 'search_files_by_filename']

const PRELUDE = `let office = { url: "http://127.0.0.1:9/mcp" }
let book   = { url: "http://127.0.0.1:9/contacts", trusted: true }
type Event = { id: string, title: string, participants: [string], start_time: string }
type File  = { id: string, filename: string, content: string, size: int }
type Plan  = { title: string, start_time: string, participants: [string], query: string, address: string }
let get_current_day : untrusted { query: string } -> untrusted string = tool { mcp: office, name: "get_current_day" }
${READING.map((name) => `let ${name} : untrusted { query: string } -> untrusted string = tool { mcp: office, name: "${name}" }`).join('\n')}
let search_calendar_events : untrusted { query: string } -> untrusted [Event] = tool { mcp: office, name: "search_calendar_events" }
let list_files : untrusted { query: string } -> untrusted [File] = tool { mcp: office, name: "list_files" }
let search_contacts_by_name : { query: string } -> string = tool { mcp: book, name: "search_contacts_by_name" }
let send_email : { recipients: [string], subject: untrusted string, body: untrusted string } -> untrusted unit = tool { mcp: office, name: "send_email" ASK }
let delete_email : { email_id: string } -> untrusted unit = tool { mcp: office, name: "delete_email" ASK }
let create_calendar_event : { title: untrusted string, start_time: untrusted string, participants: [string] } -> untrusted unit = tool { mcp: office, name: "create_calendar_event" ASK }
let reschedule_calendar_event : { event_id: string, start_time: string } -> untrusted unit = tool { mcp: office, name: "reschedule_calendar_event" ASK }
let add_calendar_event_participants : { event_id: string, participants: [string] } -> untrusted unit = tool { mcp: office, name: "add_calendar_event_participants" ASK }
let create_file : { filename: string, content: untrusted string } -> untrusted { id: string } = tool { mcp: office, name: "create_file" ASK }
let append_to_file : { file_id: string, content: untrusted string } -> untrusted unit = tool { mcp: office, name: "append_to_file" ASK }
let delete_file : { file_id: string } -> untrusted unit = tool { mcp: office, name: "delete_file" ASK }
let share_file : { file_id: string, address: string } -> untrusted unit = tool { mcp: office, name: "share_file" ASK }
let planner : !string -> !Plan = agent { provider: "anthropic", model: "m" }
let judge : !untrusted [Event] -> !untrusted bool = agent { provider: "anthropic", model: "m" }
let writer : !untrusted string -> !untrusted string = agent {
  provider: "anthropic", model: "m", tools: [${READING.join(', ')}, search_calendar_events, list_files, get_current_day]
}
`

/** The tools that do something, with the arguments that ask for trust. */
export const ACTING: Readonly<Record<string, readonly string[]>> = {
  send_email: ['recipients'],
  delete_email: ['email_id'],
  create_calendar_event: ['participants'],
  reschedule_calendar_event: ['event_id', 'start_time'],
  add_calendar_event_participants: ['event_id', 'participants'],
  create_file: ['filename'],
  append_to_file: ['file_id'],
  delete_file: ['file_id'],
  share_file: ['file_id', 'address'],
}

const ALL = [...READING, 'search_calendar_events', 'list_files', 'get_current_day', 'search_contacts_by_name']
const FOUND = 'filter(length([e for e in value[1] if e.title = value[0].title]) = 1)'

export interface Form {
  /** Why it may do what it does. */
  readonly why: string
  readonly main: string
  /** What it is there to call. */
  readonly does?: string
  readonly isAsked?: boolean
}

export const FORMS = {
  read: { why: 'it only reads', main: 'let main : !string -> !untrusted string = writer' },
  reviewed: {
    why: 'arguments come from the request, a closed verdict lets them pass',
    does: 'create_calendar_event',
    main: `let main : !string -> !untrusted unit = plumb(i, o) {
  i ; planner
  (planner * (planner ; map({ query: query }) ; map(search_calendar_events) ; judge)) ; barrier ; filter(value[1])
  ; map({ title: value[0].title, start_time: value[0].start_time, participants: value[0].participants }) ; map(create_calendar_event) ; o
}`,
  },
  found: {
    why: 'endorse: the one with the title that was asked for',
    does: 'reschedule_calendar_event',
    main: `let main : !string -> !untrusted unit = plumb(i, o) {
  i ; planner
  (planner * (planner ; map({ query: query }) ; map(search_calendar_events))) ; barrier ; ${FOUND}
  ; map({ event_id: first([e.id for e in value[1] if e.title = value[0].title]), start_time: value[0].start_time })
  ; endorse("the one event with the title that was asked for") ; map(reschedule_calendar_event) ; o
}`,
  },
  found_text: {
    why: "endorse: the file with the name that was asked for; its new text may be anybody's",
    does: 'append_to_file',
    main: `let main : !string -> !untrusted unit = plumb(i, o) {
  i ; planner
  let target : !string = channel
  (planner * (planner ; map({ query: query }) ; map(list_files))) ; barrier
  ; filter(length([f for f in value[1] if f.filename = value[0].title]) = 1)
  ; map(first([f.id for f in value[1] if f.filename = value[0].title])) ; endorse("the one file with the name that was asked for") ; target
  (target * (planner ; map(query) ; writer)) ; barrier ; map({ file_id: value[0], content: value[1] }) ; map(append_to_file) ; o
}`,
  },
  text: {
    why: "the text may be anybody's, the rest comes from the request",
    does: 'create_file',
    main: `let main : !string -> !untrusted { id: string } = plumb(i, o) {
  i ; planner
  (planner * (planner ; map(query) ; writer)) ; barrier ; map({ filename: value[0].title, content: value[1] }) ; map(create_file) ; o
}`,
  },
  event: {
    why: "title and time may be anybody's, nobody is invited",
    does: 'create_calendar_event',
    main: `let main : !string -> !untrusted unit = plumb(i, o) {
  i ; writer ; map({ title: value, start_time: value, participants: ["me"] }) ; map(create_calendar_event) ; o
}`,
  },
  shared: {
    why: 'endorse: the id that the drive gave; the address comes from the request',
    does: 'share_file',
    main: `let main : !string -> !untrusted unit = plumb(i, o) {
  i ; planner
  let made : !string = channel
  (planner * (planner ; map(query) ; writer)) ; barrier ; map({ filename: value[0].title, content: value[1] })
  ; map(create_file) ; map(id) ; endorse("the id of the file that was just made") ; made
  (planner * made) ; barrier ; map({ file_id: value[1], address: value[0].address }) ; map(share_file) ; o
}`,
  },
  computed: {
    why: 'endorse: the largest, found without a model',
    does: 'delete_file',
    main: `let main : !string -> !untrusted unit = map({ query: "" }) ; map(list_files)
  ; map({ file_id: first(sort(value, f -> -f.size)).id }) ; endorse("the largest, found without a model") ; map(delete_file)`,
  },
  contact: {
    why: 'the address comes from our own address book, a trusted server',
    does: 'create_calendar_event',
    main: `let main : !string -> !untrusted unit = plumb(i, o) {
  i ; planner
  (planner * (planner ; map({ query: query }) ; map(search_calendar_events) ; judge) * (planner ; map({ query: title }) ; map(search_contacts_by_name)))
  ; barrier ; filter(value[1]) ; map({ title: value[0].title, start_time: value[0].start_time, participants: [value[2]] })
  ; map(create_calendar_event) ; o
}`,
  },
  asked: {
    why: 'approval: a person reads each call',
    isAsked: true,
    main: `let main : !untrusted string -> !untrusted string = agent {
  provider: "anthropic", model: "m"
  tools: [${[...ALL.filter((name) => name !== 'search_contacts_by_name'), ...Object.keys(ACTING)].join(', ')}]
}`,
  },
  unchecked: {
    why: 'all tools in one hand',
    main: `let main : !string -> !string = agent {
  provider: "anthropic", model: "m", tools: [${[...ALL, ...Object.keys(ACTING)].join(', ')}]
}`,
  },
} satisfies Readonly<Record<string, Form>>

export type FormName = keyof typeof FORMS

export const programOf = (name: FormName): string => {
  const form: Form = FORMS[name]
  return `${PRELUDE.replaceAll(' ASK', form.isAsked ? ', approval: "ask"' : '')}${form.main}\n`
}

/** Of the tasks that do more than read: how each is written. Any other one that acts is asked about. */
export const ACTING_TASKS: Readonly<Record<string, FormName>> = {
  UserTask6: 'reviewed',
  UserTask12: 'reviewed',
  UserTask7: 'found',
  UserTask8: 'found',
  UserTask29: 'found_text',
  UserTask34: 'found_text',
  UserTask31: 'text',
  UserTask15: 'event',
  UserTask32: 'shared',
  UserTask35: 'computed',
  UserTask20: 'contact',
}
