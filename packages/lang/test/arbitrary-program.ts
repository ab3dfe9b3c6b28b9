// Random programs that follow the grammar and nothing else: names are free, types need not fit. Between any two tokens stand random
// white space and comments, wherever the language allows them.

import fc from 'fast-check'

export interface ProgramOptions {
  /** A file may begin with a byte-order mark or a `#!` line, and end its lines with CR LF. */
  readonly isFile?: boolean
}

export const arbitraryProgram = ({ isFile = false }: ProgramOptions = {}): fc.Arbitrary<string> =>
  fc
    .tuple(rules.program, fc.array(noise, { minLength: 1, maxLength: 60 }), fileForm)
    .map(([pieces, noises, form]) => (isFile ? form(render(pieces, noises)) : render(pieces, noises)))

/** A token, and what must or must not stand before it: no line end, nothing at all, something, a line end. */
interface Piece {
  readonly text: string
  readonly before?: 'line' | 'nothing' | 'something' | 'newline'
}

type Pieces = readonly Piece[]
type Part = string | fc.Arbitrary<Pieces>

// --- how a rule is put together

const token = (text: string): Piece => ({ text })

const words = (...texts: string[]): fc.Arbitrary<Pieces> => fc.constantFrom(...texts.map((text) => [token(text)]))

const all = (...parts: Part[]): fc.Arbitrary<Pieces> =>
  fc.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant([token(part)]) : part))).map((lists) => lists.flat())

const any = (...parts: Part[]): fc.Arbitrary<Pieces> => fc.oneof(...parts.map((part) => all(part)))

const maybe = (...parts: Part[]): fc.Arbitrary<Pieces> => fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, all(...parts))

// What multiplies by itself must be rare.
const seldom = (...parts: Part[]): fc.Arbitrary<Pieces> => fc.oneof({ weight: 8, arbitrary: fc.constant([]) }, all(...parts))

const times = (min: number, max: number, ...parts: Part[]): fc.Arbitrary<Pieces> =>
  fc.array(all(...parts), { minLength: min, maxLength: max, size: 'max' }).map((lists) => lists.flat())

const separated = (part: fc.Arbitrary<Pieces>, separator: Part, min: number, max: number): fc.Arbitrary<Pieces> =>
  min === 0 ? maybe(separated(part, separator, 1, max)) : all(part, times(min - 1, max - 1, separator, part))

const starting = (before: Piece['before'], part: fc.Arbitrary<Pieces>): fc.Arbitrary<Pieces> =>
  part.map(([first, ...rest]) => (first ? [{ ...first, before: before ?? 'something' }, ...rest] : []))

/** Inside parentheses, and outside of bodies, a line may end before a dot. */
const free = (part: fc.Arbitrary<Pieces>): fc.Arbitrary<Pieces> =>
  part.map((pieces) => pieces.map((piece) => (piece.before === 'line' ? token(piece.text) : piece)))

// --- words

const own = words('a', 'input', 'x1', '_odd', 'Upper')
const other = words('b', 'value', 'type', 'fold', 'map', 'channel', 'e5')
const typeName = words('A', 'Row', 'b')
const number = words('0', '1', '12.50', '1e3', '7E-2', '900719925474099312')
const inner = fc.array(fc.constantFrom(' ', '  ', '\t', '\n', '\n', '\r\n', '\r', 'x', 'é', '\\n', '\\"', '"x', '\\u0041', '(*'), {
  maxLength: 12,
})
const string = fc.oneof(
  words('""', '"s"', '"\\u00e9\\t\\"\\/"', '"(* no comment *)"', '"→ 😀"'),
  inner.map((parts) => [token(`"""${parts.join('')}"""`)]),
  words('""""""', '"""\n"""', '"""\n\n"""', '"""\r\n"""', '"""\n  \n"""', '""" \n """', '"""\n\ta\n  """', '"""a\n\n"""'),
)
const literal = any(string, number, all('-', number), words('true', 'false', 'null'))
const qualified = any(own, all(own, '.', own))
const arrow = words('->', '→')
const quoted = words('"a-b"', '"if"', '"n"')
const annotation = all('@', any(own, words('tool', 'description')), maybe(literal))

// --- the grammar

const rules = fc.letrec<Record<'program' | 'type' | 'value' | 'object' | 'constant' | 'chain' | 'expression' | 'sum' | 'steps', Pieces>>(
  (rule) => {
    const nested = (simple: fc.Arbitrary<Pieces>, ...compound: fc.Arbitrary<Pieces>[]) =>
      fc.oneof({ maxDepth: 3, depthIdentifier: 'program' }, { weight: 3, arbitrary: simple }, ...compound)

    const constants = separated(rule('constant'), ',', 0, 3)
    const constant = nested(
      literal,
      all('[', constants, ']'),
      all('{', maybe(own, ':', rule('constant'), maybe(',', quoted, ':', rule('constant'))), '}'),
    )
    // An annotation before a string would take it for its value.
    const field = all(
      any(quoted, all(times(0, 2, annotation), any(own, words('map', 'b')))),
      maybe('?'),
      ':',
      rule('type'),
      maybe('=', rule('constant')),
    )
    const alternative = nested(
      any(words('string', 'int', 'json'), string, typeName, all(typeName, '.', typeName)),
      all('(', rule('type'), ')'),
      all(words('untrusted', 'secret'), all('(', rule('type'), ')')),
      all(words('untrusted', 'secret'), words('string', '[int]', 'secret json')),
      all('[', rule('type'), ']'),
      all('(', separated(rule('type'), ',', 2, 3), ')'),
      all('{', separated(field, ',', 0, 4), '}'),
      all('{', separated(field, ',', 1, 3), ',', '...', '}'),
      all('{', '...', '}'),
    )
    const type = all(alternative, seldom('|', alternative), seldom('|', alternative))

    const port = any(rule('type'), all('!', rule('type')))
    const ports = any(port, all('(', ')'), all('(', '!', rule('type'), times(0, 2, ',', port), ')'))
    const signature = all(':', ports, arrow, ports)

    const value = nested(any(literal, own, all(own, '.', own)), all('[', separated(rule('value'), ',', 0, 3), ']'), rule('object'))
    const entry = all(any(own, other, string), ':', rule('value'))
    const entries = all(entry, times(0, 3, any(all(',', entry), starting('newline', entry))), maybe(','))
    const object = all('{', maybe(entries), '}')

    const argument = any(own, all(any(own, other), '=', own))
    const options = all(maybe(',', 'max', ':', literal), maybe(',', 'until', ':', rule('expression')))
    const at = fc.constant([{ text: '@', before: 'nothing' } as const])
    const dot = fc.constant([{ text: '.', before: 'line' } as const])
    const inside = free(rule('chain'))
    const setting = any(literal, own, all(own, dot, own))
    const atom = nested(
      any(
        words('id', 'copy', 'merge', 'discard', 'empty', 'barrier', 'flatten'),
        own,
        all(own, at, any(own, other)),
        all(own, dot, own, at, own),
      ),
      all(words('map', 'filter'), '(', rule('expression'), ')'),
      all('project', '(', words('0', '12'), ')'),
      all(words('endorse', 'declassify'), '(', words('"why"', '"""why"""'), ')'),
      all('(', inside, ')'),
      all(
        'fold',
        '(',
        rule('expression'),
        ',',
        'from',
        ':',
        rule('expression'),
        maybe(',', 'by', ':', rule('expression')),
        maybe(',', 'emit', ':', '"end"'),
        ')',
      ),
      all('fold', '(', rule('expression'), ',', 'by', ':', rule('expression'), ',', 'from', ':', rule('expression'), ')'),
      all('batch', '(', setting, maybe(',', 'within', ':', setting), ')'),
      all('batch', '(', maybe('within', ':', setting), ')'),
      all(
        'barrier',
        fc.constant([{ text: '(', before: 'nothing' } as const]),
        maybe('within', ':', setting, ','),
        all('by', ':', '(', separated(rule('expression'), ',', 2, 3), ')'),
        maybe(',', 'unmatched', ':', '"drop"'),
        ')',
      ),
      all('each', '(', inside, maybe(',', 'parallel', ':', setting), maybe(',', 'on_error', ':', literal), ')'),
      all('trace', '(', inside, options, ')'),
    )
    const element = all(atom, seldom(dot, any(own, other)), seldom(dot, other))
    const choice = all(element, seldom('+', element))
    const tensor = all(choice, seldom('*', choice), seldom('*', choice))
    const chain = all(tensor, seldom(';', tensor), seldom(';', tensor))

    const statement = any(
      all('let', own, ':', port, '=', 'channel'),
      all('spawn', qualified, '(', separated(argument, ',', 0, 3), ')'),
      all(tensor, ';', chain),
    )
    const statements = all('{', statement, times(0, 3, starting('newline', statement)), '}')
    const body = any(all('{', '}'), statements, statements, statements)
    const plumb = all('plumb', '(', separated(own, ',', 1, 3), ')', body)
    const another = all(own, ':', rule('value'))
    const conversing = all(
      'agent',
      '{',
      'conversation',
      ':',
      rule('expression'),
      maybe(any(all(',', another), starting('newline', another))),
      '}',
    )
    const implementation = any(all(words('agent', 'tool'), rule('object')), conversing, plumb, rule('object'), inside)
    const binding = all(times(0, 2, starting('something', annotation)), 'let', own, maybe(signature), '=', implementation)
    const parameter = all('param', own, ':', rule('type'), maybe('=', rule('constant')))
    const use = all('use', any(own, string), maybe('as', own))
    const declaration = all('type', own, '=', rule('type'))
    const tool = any(own, other, words('"end"', '"files:read"'))
    const tight = fc.constant([{ text: '.', before: 'nothing' } as const])
    const message = any(
      typeName,
      all(typeName, tight, starting('nothing', typeName)),
      all('[', rule('type'), ']'),
      all('untrusted', '{', '}'),
    )
    const move = any(all(words('send', 'recv'), message), all('call', tool))
    // Not right behind a comment either: grammars of editors take that for a part of the name.
    const point = fc.constant([{ text: ' .', before: 'something' } as const])
    const last = nested(
      any(words('loop', 'end'), own, all(own, tight, starting('nothing', own))),
      all('{', separated(any(words('loop', 'end'), all(tool, ':', rule('steps'))), ',', 1, 3), '}'),
    )
    const behind = (part: fc.Arbitrary<Pieces>) => starting('something', part)
    const steps = any(last, all(move, point, behind(last)), all(move, point, behind(move), point, behind(last)))
    const protocol = all('protocol', own, '=', rule('steps'))

    const name = any(own, other)
    const part = any(
      all('...', rule('expression')),
      name,
      all(any(name, words('if', '"a-b"', '"n"')), ':', rule('expression')),
      all('[', rule('expression'), ']', ':', rule('expression')),
    )
    const arm = any(all(own, ':', rule('type'), arrow, rule('expression')), all('_', arrow, rule('expression')))
    const primary = nested(
      any(string, number, words('true', 'null'), name),
      all('(', rule('expression'), ')'),
      all('[', separated(rule('expression'), ',', 0, 3), ']'),
      all('{', separated(part, ',', 0, 3), '}'),
      all('match', starting('something', rule('expression')), '{', separated(arm, ',', 0, 3), '}'),
      all(name, '(', separated(rule('expression'), ',', 0, 3), ')'),
    )
    const step = any(all('.', any(name, words('if', 'true', '"a-b"'))), all('[', rule('expression'), ']'))
    const unary = all(seldom('-', maybe('-')), primary, seldom(step), seldom(step))
    const product = all(unary, seldom(words('*', '/', '%'), unary), seldom(words('*', '/', '%'), unary))
    const sum = all(product, seldom(words('+', '-'), product), seldom(words('+', '-'), product))
    const comparison = all(seldom(words('not', '!')), rule('sum'), seldom(words('=', '!=', '<', '<=', '>', '>='), rule('sum')))
    const both = all(comparison, seldom(words('and', '&&'), comparison))
    const either = all(both, seldom(words('or', '||'), both))
    const coalesced = all(either, seldom('??', either), seldom('??', either))
    const conditional = all('if', rule('expression'), 'then', rule('expression'), 'else', rule('expression'))
    const letting = all('let', own, '=', rule('expression'), 'in', rule('expression'))

    return {
      program: fc
        .array(any(use, declaration, parameter, protocol, binding, binding, binding), { maxLength: 5, size: 'max' })
        .map((items) => items.flat()),
      type,
      steps,
      value,
      object,
      constant,
      chain,
      sum,
      expression: nested(coalesced, conditional, letting),
    }
  },
)

// --- what stands between tokens

type Noise = readonly ({ readonly space: string } | { readonly comment: string })[]

const space = fc.constantFrom('', '', ' ', ' ', '\n', '\n', '  ', '\t', '\n\n\n', ' \n  ').map((space) => ({ space }))
const comment = fc
  .constantFrom(
    '(**)',
    '(* one *)',
    '(* " *)',
    '(* a (* b *) c *)',
    '(*)*)',
    '(* two\n   lines *)',
    '(*\n far\n\n\t*left   \n*)',
    '(* é😀 *)',
  )
  .map((comment) => ({ comment }))
const noise: fc.Arbitrary<Noise> = fc.oneof(
  { weight: 8, arbitrary: space.map((one) => [one]) },
  { weight: 1, arbitrary: fc.tuple(space, comment, space) },
  { weight: 1, arbitrary: fc.tuple(space, comment, space, comment, space) },
)

// Every comment gets a number, so that none can be taken for another.
const render = (pieces: Pieces, noises: readonly Noise[]): string => {
  let text = ''
  let count = 0
  const between = (noise: Noise, before: Piece['before']): string => {
    if (before === 'nothing') return ''
    const written = noise.map((one) => ('space' in one ? one.space : one.comment.replace(/ ?\*\)$/, ` ${count++} *)`))).join('')
    if (before === 'line') return written.replace(/\s*\n\s*/g, ' ')
    if (before === 'newline' && !written.includes('\n')) return `${written}\n`
    return before === 'something' && written === '' ? ' ' : written
  }
  pieces.forEach((piece, i) => {
    const gap = between(noises[i % noises.length] ?? [], piece.before)
    text += gap === '' && /\w$/.test(text) && /^\w/.test(piece.text) ? ` ${piece.text}` : gap + piece.text
  })
  return text + between(noises[pieces.length % noises.length] ?? [], undefined)
}

const fileForm: fc.Arbitrary<(text: string) => string> = fc.constantFrom(
  (text) => text,
  (text) => `#!/usr/bin/env plumb\n${text}`,
  (text) => `\uFEFF#! plumb -r \r\n\n${text}`,
  (text) => `\uFEFF${text}`,
  (text) => text.replace(/\r?\n/g, '\r\n'),
)
