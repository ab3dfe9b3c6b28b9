// The page's own script: what it shows comes from /openapi.json, and whatever the server or a model wrote is shown as text.

type Json = Readonly<Record<string, unknown>>

const main = document.getElementById('main') as HTMLElement
/** Kept in this page alone. */
let token = ''

const make = <Tag extends keyof HTMLElementTagNameMap>(tag: Tag, text = '', parent?: Element): HTMLElementTagNameMap[Tag] => {
  const made = document.createElement(tag)
  if (text !== '') made.textContent = text
  parent?.append(made)
  return made
}

const headersOf = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  ...more,
  ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
})

interface Described {
  readonly paths: Readonly<Record<string, { readonly post?: Json }>>
  readonly components: { readonly schemas: Json }
}

/** Types by name. */
let named: Json = {}

const referred = (schema: Json): Json => {
  const name = typeof schema.$ref === 'string' ? schema.$ref.replace('#/components/schemas/', '') : ''
  return name === '' ? schema : ((named[name] ?? {}) as Json)
}

const begin = async (): Promise<void> => {
  const response = await fetch('/openapi.json', { headers: headersOf() })
  main.replaceChildren()
  make('h1', 'What is served here', main)
  if (response.status === 401) return askToken()
  const { paths, components } = (await response.json()) as Described
  named = components.schemas
  for (const [path, { post }] of Object.entries(paths)) {
    const id = String(post?.operationId ?? '')
    if (post && !path.startsWith('/v1/') && !path.startsWith('/pending')) showBinding(path, id, post)
  }
  const waiting = make('div', '', main)
  waiting.setAttribute('aria-live', 'polite')
  showQuestions(waiting)
}

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown
const { parse: parseWith, rawJSON } = JSON as unknown as {
  readonly parse: (text: string, reviver: Reviver) => unknown
  readonly rawJSON?: (text: string) => unknown
}

/** Numbers keep the digits that they are written with, in browsers that can; they are shown and sent, and not counted with. */
const parse = (text: string): unknown =>
  parseWith(text, (_, value, context) => {
    const isAsWritten = typeof value !== 'number' || context?.source === undefined || String(value) === context.source
    return isAsWritten ? value : (rawJSON?.(context.source) ?? value)
  })

/** How often it is looked for questions (ms). */
const LOOK_MS = 2000

const showQuestions = (place: HTMLElement): void => {
  const shown = new Map<string, HTMLElement>()
  const look = async (): Promise<void> => {
    if (!place.isConnected) return
    const response = await fetch('/pending', { headers: headersOf() }).catch(() => undefined)
    const questions = response?.ok ? (parse(await response.text()) as readonly Json[]) : []
    const ids = new Set(questions.map(({ id }) => String(id)))
    for (const [id, section] of shown) {
      if (ids.has(id)) continue
      section.remove()
      shown.delete(id)
    }
    for (const question of questions) {
      const id = String(question.id)
      if (!shown.has(id)) shown.set(id, showQuestion(place, id, question))
    }
    setTimeout(() => void look(), LOOK_MS)
  }
  void look()
}

const showQuestion = (place: HTMLElement, id: string, question: Json): HTMLElement => {
  const section = make('section', '', place)
  make('h2', `${String(question.agent)} asks`, section)
  make('p', String(question.prompt), section)
  make('pre', typeof question.input === 'string' ? question.input : JSON.stringify(question.input, null, 2), section)
  if (question.wrong !== undefined) make('p', `Not changed: ${String(question.wrong)}`, section)
  const form = make('form', '', section)
  const isApproval = question.kind === 'approval'
  const read = isApproval ? () => true : formOf(form, id, question.schema as Json)
  const problem = make('pre', '', section)
  problem.className = 'error'
  problem.hidden = true
  const send = async (body: Json): Promise<void> => {
    const headers = headersOf({ 'content-type': 'application/json' })
    const response = await fetch(`/pending/${id}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (response.ok) return section.remove()
    problem.hidden = false
    problem.textContent = String(((await response.json()) as Json).detail)
  }
  make('button', isApproval ? 'Allow' : 'Answer', form)
  if (isApproval) addEditing(section, form, (question.input as Json).input, (input) => send({ edit: input }))
  const other = make('button', isApproval ? 'Deny' : 'Skip', form)
  other.type = 'button'
  other.onclick = () => void send(isApproval ? { answer: false } : { skip: '' })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    try {
      void send({ answer: read() })
    } catch (error) {
      problem.hidden = false
      problem.textContent = String(error)
    }
  })
  return section
}

/** Another input for a call, about which it is asked again. */
const addEditing = (section: HTMLElement, form: HTMLElement, input: unknown, send: (input: unknown) => Promise<void>): void => {
  const open = make('button', 'Edit', form)
  open.type = 'button'
  open.onclick = () => {
    open.hidden = true
    const editing = make('form', '', section)
    const label = make('label', 'Its input', editing)
    const area = make('textarea', '', label)
    area.value = JSON.stringify(input, null, 2)
    area.rows = area.value.split('\n').length + 1
    make('button', 'Ask again', editing)
    const wrong = make('pre', '', editing)
    wrong.className = 'error'
    wrong.hidden = true
    editing.addEventListener('submit', (event) => {
      event.preventDefault()
      try {
        void send(parse(area.value))
      } catch (error) {
        wrong.hidden = false
        wrong.textContent = String(error)
      }
    })
    area.focus()
  }
}

const showPicture = (section: HTMLElement, id: string): void => {
  const details = make('details', '', section)
  make('summary', 'Wiring', details)
  details.addEventListener(
    'toggle',
    () =>
      void fetch(`/pictures/${id}`, { headers: headersOf() }).then(async (response) => {
        if (!response.ok) return void make('pre', String(((await response.json()) as Json).detail), details)
        const picture = make('img', '', details)
        picture.alt = `The wiring of ${id}`
        picture.src = URL.createObjectURL(await response.blob())
      }),
    { once: true },
  )
}

const askToken = (): void => {
  const form = make('form', '', main)
  make('label', 'Token', form).htmlFor = 'token'
  const field = make('input', '', form)
  Object.assign(field, { id: 'token', type: 'password', autocomplete: 'off', required: true })
  make('button', 'Go on', form)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    token = field.value.trim()
    void begin()
  })
  field.focus()
}

const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((of, key) => (typeof of === 'object' && of !== null ? (of as Json)[key] : undefined), value)

const showBinding = (path: string, id: string, post: Json): void => {
  const section = make('section', '', main)
  make('h2', id, section)
  if (typeof post.summary === 'string') make('p', post.summary, section)
  make('p', `POST ${path}`, section).className = 'note'
  const form = make('form', '', section)
  const schema = (at(post, 'requestBody', 'content', 'application/json', 'schema') ?? {}) as Json
  const read = formOf(form, id, schema)
  const send = make('button', 'Send', form)
  const stop = make('button', 'Stop', form)
  Object.assign(stop, { type: 'button', hidden: true })
  const shown = make('div', '', section)
  showPicture(section, id)
  shown.setAttribute('aria-live', 'polite')
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const away = new AbortController()
    stop.onclick = () => away.abort()
    send.disabled = true
    stop.hidden = false
    void call(path, read, shown, away.signal).finally(() => {
      send.disabled = false
      stop.hidden = true
    })
  })
}

/** Fields for a record, one for a text, a number or a choice, else JSON. Returns how its value is read. */
const formOf = (form: HTMLFormElement, id: string, given: Json): (() => unknown) => {
  const schema = referred(given)
  const properties = at(schema, 'properties')
  if (schema.type !== 'object' || typeof properties !== 'object' || properties === null || Object.keys(properties).length === 0)
    return fieldOf(form, `${id}-input`, 'Input', schema, true)
  const required = Array.isArray(schema.required) ? schema.required : []
  const readers = Object.entries(properties as Json).map(
    ([name, of]) => [name, fieldOf(form, `${id}-${name}`, name, of as Json, required.includes(name))] as const,
  )
  return () => Object.fromEntries(readers.map(([name, read]) => [name, read()] as const).filter(([, value]) => value !== undefined))
}

const choicesOf = (schema: Json): readonly string[] =>
  (Array.isArray(schema.enum) ? schema.enum : ((schema.anyOf ?? []) as readonly Json[]).map((one) => one.const)).filter(
    (one) => typeof one === 'string',
  )

const fieldOf = (form: HTMLFormElement, id: string, name: string, given: Json, isRequired: boolean): (() => unknown) => {
  const schema = referred(given)
  const label = make('label', isRequired ? name : `${name} (may be left out)`, form)
  label.htmlFor = id
  if (typeof schema.description === 'string') make('p', schema.description, form).className = 'note'
  const choices = choicesOf(schema)
  const place = <T extends HTMLElement>(field: T): T => {
    field.id = id
    form.append(field)
    return field
  }
  if (choices.length > 0) {
    const field = place(make('select'))
    for (const choice of isRequired ? choices : ['', ...choices]) make('option', choice, field).value = choice
    return () => (field.value === '' && !isRequired ? undefined : field.value)
  }
  if (schema.type === 'boolean') {
    const field = place(make('input'))
    field.type = 'checkbox'
    field.checked = schema.default === true
    return () => field.checked
  }
  if (schema.type === 'integer' || schema.type === 'number') {
    const field = place(make('input'))
    Object.assign(field, { inputMode: 'decimal', required: isRequired })
    return () => (field.value.trim() === '' ? undefined : parse(field.value))
  }
  const field = place(make('textarea'))
  if (schema.type === 'string') return () => (field.value === '' && !isRequired ? undefined : field.value)
  field.placeholder = 'JSON'
  field.spellcheck = false
  return () => (field.value.trim() === '' && !isRequired ? undefined : parse(field.value))
}

const call = async (path: string, read: () => unknown, shown: HTMLElement, signal: AbortSignal): Promise<void> => {
  shown.replaceChildren()
  const tell = (text: string, kind = ''): HTMLElement => {
    const line = make('pre', text, shown)
    line.className = kind
    return line
  }
  try {
    const body = JSON.stringify(read())
    const headers = headersOf({ 'content-type': 'application/json', accept: 'text/event-stream' })
    const response = await fetch(`${path}?events=text,tool_call`, { method: 'POST', headers, body, signal })
    if (response.headers.get('content-type') !== 'text/event-stream') {
      const problem = (await response.json()) as Json
      tell(`${String(problem.error)}: ${String(problem.detail)}`, 'error')
      return
    }
    let streaming: HTMLElement | undefined
    for await (const { event, data } of eventsOf(response)) {
      if (event === 'text') {
        streaming ??= tell('', 'note')
        streaming.textContent += String(data.delta)
        continue
      }
      streaming?.remove()
      streaming = undefined
      if (event === 'output') tell(typeof data.value === 'string' ? data.value : JSON.stringify(data.value, null, 2))
      else if (event === 'error') tell(`${String(at(data, 'error', 'error'))}: ${String(at(data, 'error', 'detail'))}`, 'error')
      else if (event === 'tool_call') tell(`${String(data.agent)} calls ${String(data.name)}`, 'note')
      else if (event === 'done') tell(`${String(data.tokens)} tokens, $${String(data.cost)}`, 'note')
    }
  } catch (error) {
    tell(signal.aborted ? 'stopped' : String(error), 'error')
  }
}

async function* eventsOf(response: Response): AsyncGenerator<{ readonly event: string; readonly data: Json }> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    text += decoder.decode(value, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end)
      text = text.slice(end + 2)
      const event = /^event: (.*)$/m.exec(block)?.[1]
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (event !== undefined && data !== undefined) yield { event, data: parse(data) as Json }
    }
  }
}

begin().catch((error: unknown) => {
  main.textContent = String(error)
})
