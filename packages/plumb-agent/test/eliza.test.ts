// ELIZA and the DOCTOR script: the fixtures are a small script of our own with its conversations, and patterns with what they match.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { holds, runs } from '../../wire/test/property.js'
import { toMessageContent } from '../src/conversation/turn.js'
import { Cancellation } from '../src/provider/cancellation.js'
import { assemble } from '../src/provider/eliza/answer.js'
import doctorText from '../src/provider/eliza/doctor.script'
import { hash, lastCell } from '../src/provider/eliza/hash.js'
import { match } from '../src/provider/eliza/match.js'
import { normalise, readWords, splitWords } from '../src/provider/eliza/normalise.js'
import { readOrder } from '../src/provider/eliza/order.js'
import { openEliza } from '../src/provider/eliza/provider.js'
import type { Decomposition, ElizaScript, Reassembly, ScriptRule, Term } from '../src/provider/eliza/rule.js'
import { loadScript } from '../src/provider/eliza/script.js'
import { ElizaSession } from '../src/provider/eliza/session.js'
import type { ChatMessage, ModelRequest } from '../src/provider/provider.js'

const fixture = (name: string): string => readFileSync(join(__dirname, '../../test/fixtures/eliza', name), 'utf8')
const fixtureLines = <T>(name: string): T[] =>
  fixture(name)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T)

const loaded = (result: ReturnType<typeof loadScript>): ElizaScript => {
  if (!result.ok) throw new Error(result.error.detail)
  return result.value
}
const load = (text: string): ElizaScript => loaded(loadScript(text, 'test.script'))
const DOCTOR = load(doctorText)
const MINI = load(fixture('mini.script'))

const converse = (session: ElizaSession, inputs: readonly string[]): string[] => inputs.map((input) => session.reply(input))
const doctorSays = (...inputs: string[]): string | undefined => converse(new ElizaSession(DOCTOR), inputs).at(-1)

// A script around one rule, complete enough to load
const scriptWith = (rules: string): string =>
  `(HELLO)\nSTART\n${rules}\n(HEART ((0) (OH)))\n(MEMORY HEART (0 = A 1) (0 = B 1) (0 = C 1) (0 = D 1))\n(NONE ((0) (NONE A) (NONE B)))\n`

t.test('match vectors', async (t) => {
  interface Vector {
    readonly pattern: readonly string[]
    readonly words: readonly string[]
    readonly tags: Readonly<Record<string, readonly string[]>>
    readonly match: boolean
    readonly parts: readonly string[] | null
  }
  const vectors = fixtureLines<Vector>('match-vectors.jsonl')
  t.equal(vectors.length, 114)
  for (const { pattern, words, tags, match: hasMatch, parts } of vectors) {
    const tagsOf = new Map<string, string[]>()
    for (const [tag, bearers] of Object.entries(tags)) for (const word of bearers) tagsOf.set(word, [...(tagsOf.get(word) ?? []), tag])
    const bearers = [...tagsOf].map(([word, names]) => `(${word} DLIST(/${names.join(' ')}))`).join('\n')
    const { rules } = load(scriptWith(`${bearers}\n(PATTERN-UNDER-TEST ((${pattern.join(' ')}) (X)))`))
    const bounds = match(rules.get('PATTERN-UNDER-TEST')?.decompositions[0]?.terms ?? [], words)
    const found = bounds && pattern.map((_, i) => words.slice(bounds[i], bounds[i + 1]).join(' '))
    t.strictSame(found ?? null, hasMatch ? parts : null, `(${pattern.join(' ')}) on ${words.join(' ')}`)
  }
})

// The plain meaning: each 0 takes as few words as it can, the leftmost first
const slowMatch = (terms: readonly Term[], words: readonly string[], from = 0): number[] | undefined => {
  const [term, ...rest] = terms
  if (!term) return from === words.length ? [from] : undefined
  const isOne = term.kind !== 'count'
  const least = isOne ? 1 : term.count
  const most = isOne || term.count > 0 ? least : words.length - from
  const word = words[from] ?? ''
  if (from + least > words.length) return undefined
  if (term.kind === 'word' && term.word !== word) return undefined
  if (term.kind === 'one-of' && !term.sets.some((set) => set.has(word))) return undefined
  for (let width = least; width <= most; width++) {
    const bounds = slowMatch(rest, words, from + width)
    if (bounds) return [from, ...bounds]
  }
  return undefined
}

t.test('match gives what backtracking gives', async (t) => {
  const term = fc.oneof(
    fc.constant<Term>({ kind: 'count', count: 0 }),
    fc.integer({ min: 0, max: 2 }).map((count): Term => ({ kind: 'count', count })),
    fc.constantFrom('A', 'B').map((word): Term => ({ kind: 'word', word })),
    fc.constant<Term>({ kind: 'one-of', sets: [new Set(['A']), new Set(['C'])] }),
  )
  await holds(
    t,
    fc.property(fc.array(term, { maxLength: 6 }), fc.array(fc.constantFrom('A', 'B', 'C'), { maxLength: 8 }), (terms, words) => {
      return JSON.stringify(match(terms, words)) === JSON.stringify(slowMatch(terms, words))
    }),
    { numRuns: runs(1000) },
  )
})

t.test('reading input', async (t) => {
  const normalised: [string, string][] = [
    ['Hello! How are you?', 'HELLO. HOW ARE YOU.'],
    ['I\u2019m depressed', "I'M DEPRESSED"],
    ['I\u2019m \u2018depressed\u2019', "I'M  DEPRESSED'"],
    ['I\u2019m "depressed"', "I'M  DEPRESSED "],
    ['\u00a1p\u00f3nk!', ' P\u00d3NK.'],
    ['a: b; c \u2013 d \u2014 e', 'A, B, C , D , E'],
    ['`\u201ca\u201d\u00ab\u2039b\u203a\u00bb\u00bf', '  A   B   '],
    ['stra\u00dfe \ufb01n \u0149 \u1f80 \u1fb3 \u{10428}', 'STRASSE FIN \u0149 \u1f88 \u1fbc \u{10400}'],
    ["don't (2) a-b & c", "DON'T (2) A-B & C"],
  ]
  for (const [input, expected] of normalised) t.equal(normalise(input), expected, input)
  t.strictSame(splitWords("ONE   TWO, THREE,, DON'T."), ['ONE', 'TWO', ',', 'THREE', ',', ',', "DON'T", '.'])
  t.strictSame(readWords('Parlez-vous\tune\r\nlangue'), ['PARLEZ-VOUS', 'UNE', 'LANGUE'])
  t.strictSame(readWords(' \n'), [])
})

t.test('assemble', async (t) => {
  const words = ['MARY', 'HAD', 'A', 'LITTLE', 'LAMB']
  t.equal(assemble(['DID', 1, 'HAVE', 'A', 3], words, [0, 1, 3, 5]).join(' '), 'DID MARY HAVE A LITTLE LAMB')
  t.equal(assemble(['A', 1, 'B'], words, [0, 0]).join(' '), 'A B')
  t.equal(assemble(['A', 2], words, [0, 5]).join(' '), 'HMMM')
})

t.test('hash', async (t) => {
  const cells: [string, bigint][] = [
    ['', 0o606060606060n],
    ['X', 0o676060606060n],
    ['HERE', 0o302551256060n],
    ['ALWAYS', 0o214366217062n],
    ['INVENTED', 0o252460606060n],
    ['123456ABCDEF', 0o212223242526n],
    ["0'+.)-", 0o001420333440n],
    ['$* /,(', 0o535460617374n],
    ['=J9R\u00d3', 0o134111510323n],
  ]
  for (const [word, cell] of cells) t.equal(lastCell(word), cell, `cell of '${word}'`)

  const table: Record<number, string> = {
    2: `HERE 3, KIDS 1, TIME 0, PURPOSE 1, DEVONSHIRE 0, PREDICAMENT 3, EXECUTIONERS 3, GLOUCESTERSHIRE 2, MOTHER 3, FATHER 2, WIFE 0, ME 2`,
    7: 'ALWAYS 14',
  }
  for (const [bits, row] of Object.entries(table)) {
    for (const entry of row.split(', ')) {
      const [word = '', expected] = entry.split(' ')
      t.equal(hash(lastCell(word), Number(bits)), Number(expected), `HASH(${word}, ${bits})`)
    }
  }
  // Of the first six letters, as the program hashes keywords; seen on an emulated 7094
  const keywords = `NOONE 0 WIFE 1 I 2 CAN 2 BECAUSE 3 IF 5 CHILDREN 5 HOW 6 YES 6 ALWAYS 7 MY 8 YOU'RE 11 ARE 12 EVERYONE 12 MAYBE 13 YOU 13 AM 16 YOUR 17
    PERHAPS 18 MYSELF 19 BROTHER 21 WHAT 21 MOTHER 22 SISTER 22 NO 24 I'M 25 WHY 27 NOBODY 27 FATHER 28 WHEN 29 WAS 29 ME 29 YOURSELF 30 WERE 31 EVERYBODY 31`
  for (const [, word = '', expected] of keywords.matchAll(/(\S+) (\d+)/g)) {
    t.equal(hash(lastCell(word.slice(0, 6)), 5), Number(expected), `HASH(${word}, 5)`)
  }
  const numbers: [bigint, number, number][] = [
    [0o777777777777n, 15, 0x7f00],
    [0x555555555n, 15, 0x46e3],
    [lastCell('ALWAYS'), 15, 0x70ee],
    [lastCell('TIME'), 15, 0x252e],
    [0o777777777777n, 7, 0x70],
    [0n, 0, 0],
    [0n, 15, 0],
  ]
  for (const [cell, bits, expected] of numbers) t.equal(hash(cell, bits), expected, `HASH(${cell}, ${bits})`)
})

t.test('the conversation published in 1966', async (t) => {
  const turns = `Men are all alike. | IN WHAT WAY
They're always bugging us about something or other. | CAN YOU THINK OF A SPECIFIC EXAMPLE
Well, my boyfriend made me come here. | YOUR BOYFRIEND MADE YOU COME HERE
He says I'm depressed much of the time. | I AM SORRY TO HEAR YOU ARE DEPRESSED
It's true. I am unhappy. | DO YOU THINK COMING HERE WILL HELP YOU NOT TO BE UNHAPPY
I need some help, that much seems certain. | WHAT WOULD IT MEAN TO YOU IF YOU GOT SOME HELP
Perhaps I could learn to get along with my mother. | TELL ME MORE ABOUT YOUR FAMILY
My mother takes care of me. | WHO ELSE IN YOUR FAMILY TAKES CARE OF YOU
My father. | YOUR FATHER
You are like my father in some ways. | WHAT RESEMBLANCE DO YOU SEE
You are not very aggressive but I think you don't want me to notice that. | WHAT MAKES YOU THINK I AM NOT VERY AGGRESSIVE
You don't argue with me. | WHY DO YOU THINK I DON'T ARGUE WITH YOU
You are afraid of me. | DOES IT PLEASE YOU TO BELIEVE I AM AFRAID OF YOU
My father is afraid of everybody. | WHAT ELSE COMES TO MIND WHEN YOU THINK OF YOUR FATHER
Bullies. | DOES THAT HAVE ANYTHING TO DO WITH THE FACT THAT YOUR BOYFRIEND MADE YOU COME HERE`
  const session = new ElizaSession(DOCTOR)
  t.equal(session.greeting, 'HOW DO YOU DO. PLEASE TELL ME YOUR PROBLEM')
  for (const turn of turns.split('\n')) {
    const [input = '', reply] = turn.split(' | ')
    t.equal(session.reply(input), reply, input)
  }
})

t.test('conversations with the small script', async (t) => {
  t.equal(MINI.greeting, 'READY. SAY SOMETHING')
  for (const { turns } of fixtureLines<{ turns: [string, string][] }>('mini-conversations.jsonl')) {
    const session = new ElizaSession(MINI)
    for (const [input, reply] of turns) t.equal(session.reply(input), reply, input)
  }
})

t.test('structure of DOCTOR', async (t) => {
  // Keyword, substitute, precedence, tags, link, decompositions x reassemblies {number: special}
  const expected = `SORRY (0)x4
DONT =DON'T
CANT =CAN'T
WONT =WON'T
REMEMBER p5 (0 YOU REMEMBER 0)x6; (0 DO I REMEMBER 0)x5 {4:=WHAT}; (0)x1 {1:NEWKEY}
IF p3 (0 IF 0)x4
DREAMT p4 (0 YOU DREAMT 0)x5 {4:=DREAM} {5:NEWKEY}
DREAMED =DREAMT p4 link=DREAMT
DREAM p3 (0)x5 {5:NEWKEY}
DREAMS =DREAM p3 link=DREAM
HOW link=WHAT
WHEN link=WHAT
ALIKE p10 link=DIT
SAME p10 link=DIT
CERTAINLY link=YES
FEEL tags BELIEF
THINK tags BELIEF
BELIEVE tags BELIEF
WISH tags BELIEF
PERHAPS (0)x5
MAYBE link=PERHAPS
NAME p15 (0)x2
DEUTSCH link=XFREMD
FRANCAIS link=XFREMD
ITALIANO link=XFREMD
ESPANOL link=XFREMD
XFREMD (0)x1
HELLO (0)x1
COMPUTER p50 (0)x6
MACHINE p50 link=COMPUTER
MACHINES p50 link=COMPUTER
COMPUTERS p50 link=COMPUTER
AM =ARE (0 ARE YOU 0)x5 {5:=WHAT}; (0)x2
ARE (0 ARE I 0)x5 {5:=WHAT}; (0 ARE 0)x4
YOUR =MY (0 MY 0)x4
WAS p2 (0 WAS YOU 0)x6 {6:=WHAT}; (0 YOU WAS 0)x3; (0 WAS I 0)x5; (0)x1 {1:NEWKEY}
WERE =WAS link=WAS
ME =YOU
YOU'RE =I'M (0 I'M 0)x1 {1:PRE(I ARE 3)=YOU}
I'M =YOU'RE (0 YOU'RE 0)x1 {1:PRE(YOU ARE 3)=I}
MYSELF =YOURSELF
YOURSELF =MYSELF
MOTHER tags NOUN/FAMILY
MOM =MOTHER tags FAMILY
DAD =FATHER tags FAMILY
FATHER tags NOUN/FAMILY
SISTER tags FAMILY
BROTHER tags FAMILY
WIFE tags FAMILY
CHILDREN tags FAMILY
I =YOU (0 YOU (*WANT NEED) 0)x6; (0 YOU ARE 0 (*SAD UNHAPPY DEPRESSED SICK) 0)x4; (0 YOU ARE 0 (*HAPPY ELATED GLAD BETTER) 0)x4; (0 YOU WAS 0)x1 {1:=WAS}; (0 YOU (/BELIEF) YOU 0)x3; (0 YOU 0 (/BELIEF) 0 I 0)x1 {1:=YOU}; (0 YOU ARE 0)x4; (0 YOU (*CAN'T CANNOT) 0)x4; (0 YOU DON'T 0)x4; (0 YOU FEEL 0)x4; (0 YOU 0 I 0)x4; (0)x4
YOU =I (0 I REMIND YOU OF 0)x1 {1:=DIT}; (0 I ARE 0)x4; (0 I 0 YOU)x7; (0 I 0)x4
YES (0)x4
NO (0)x4
MY =YOUR p2 (0 YOUR 0 (/FAMILY) 0)x4; (0 YOUR 0)x4
CAN (0 CAN I 0)x4 {2:=WHAT}; (0 CAN YOU 0)x4 {4:=WHAT}
WHAT (0)x9
BECAUSE (0)x4
WHY link=WHAT (0 WHY DON'T I 0)x5 {5:=WHAT}; (0 WHY CAN'T YOU 0)x5 {5:=WHAT}
EVERYONE p2 (0 (*EVERYONE EVERYBODY NOBODY NOONE) 0)x9
EVERYBODY p2 link=EVERYONE
NOBODY p2 link=EVERYONE
NOONE p2 link=EVERYONE
ALWAYS p1 (0)x4
LIKE p10 (0 (*AM IS ARE WAS) 0 LIKE 0)x1 {1:=DIT}; (0)x1 {1:NEWKEY}
DIT (0)x8`
  const tagOf = (set: ReadonlySet<string> | undefined): string | undefined => [...DOCTOR.tags].find(([, words]) => words === set)?.[0]
  const printTerm = (term: Term): string => {
    if (term.kind === 'word') return term.word
    if (term.kind === 'count') return `${term.count}`
    const tag = tagOf(term.sets[0])
    return tag ? `(/${tag})` : `(*${[...(term.sets[0] ?? [])].join(' ')})`
  }
  const printSpecial = (reassembly: Reassembly, i: number): string[] => {
    if (reassembly.kind === 'text') return []
    if (reassembly.kind === 'newkey') return [`{${i + 1}:NEWKEY}`]
    return [`{${i + 1}:${reassembly.kind === 'pre' ? `PRE(${reassembly.template.join(' ')})` : ''}=${reassembly.key}}`]
  }
  const printDecomposition = ({ terms, reassemblies }: Decomposition): string =>
    [`(${terms.map(printTerm).join(' ')})x${reassemblies.length}`, ...reassemblies.flatMap(printSpecial)].join(' ')
  const printRule = ({ keyword, substitute, precedence, tags, link, decompositions }: ScriptRule): string =>
    [
      keyword,
      ...(substitute === undefined ? [] : [`=${substitute}`]),
      ...(precedence === 0 ? [] : [`p${precedence}`]),
      ...(tags.length === 0 ? [] : [`tags ${tags.join('/')}`]),
      ...(link === undefined ? [] : [`link=${link}`]),
      ...(decompositions.length === 0 ? [] : [decompositions.map(printDecomposition).join('; ')]),
    ].join(' ')

  t.strictSame(DOCTOR, load(doctorText), 'the build has read what the text says')
  const rules = [...DOCTOR.rules.values()]
  t.strictSame(rules.map(printRule), expected.split('\n'))
  t.equal(printRule(DOCTOR.none), 'NONE (0)x4')
  t.equal(rules.length, 66)
  t.equal(rules.filter((rule) => rule.canReply).length, 48)

  const decompositions = [...rules, DOCTOR.none].flatMap((rule) => rule.decompositions)
  t.equal(decompositions.length, 55)
  const counts = { text: 0, link: 0, newkey: 0, pre: 0 }
  for (const { reassemblies } of decompositions) for (const { kind } of reassemblies) counts[kind]++
  t.strictSame(counts, { text: 195, link: 13, newkey: 5, pre: 2 })
  t.strictSame(Object.fromEntries([...DOCTOR.tags].map(([tag, words]) => [tag, words.size])), { BELIEF: 4, NOUN: 2, FAMILY: 8 })
  const { keyword, transformations } = DOCTOR.memory
  t.equal(keyword, 'MY')
  t.strictSame(
    transformations.map(({ terms, template }) => `(${terms.map(printTerm).join(' ')}) ${template.join(' ')}`),
    [
      '(0 YOUR 0) LETS DISCUSS FURTHER WHY YOUR 3',
      '(0 YOUR 0) EARLIER YOU SAID YOUR 3',
      '(0 YOUR 0) BUT YOUR 3',
      '(0 YOUR 0) DOES THAT HAVE ANYTHING TO DO WITH THE FACT THAT YOUR 3',
    ],
  )
})

t.test('oddities', async (t) => {
  const oddities: [string[], string][] = [
    [['why'], 'WHY DO YOU ASK'],
    [['if you are human'], 'DO YOU THINK ITS LIKELY THAT I ARE HUMAN'],
    [['They can sing'], 'HMMM'],
    [['She dreamt it'], 'HMMM'],
    [['They can sing', 'They can sing', 'They can sing', 'They can sing'], 'PLEASE CONTINUE'],
    [['We like cake'], 'I AM NOT SURE I UNDERSTAND YOU FULLY'],
    [['We like my cake'], 'YOUR CAKE'],
    [['none'], 'I AM NOT SURE I UNDERSTAND YOU FULLY'],
    [['memory'], 'I AM NOT SURE I UNDERSTAND YOU FULLY'],
    [['dit'], 'IN WHAT WAY'],
    [['xfremd'], 'I AM SORRY, I SPEAK ONLY ENGLISH'],
    [['sorry'], "PLEASE DON'T APOLIGIZE"],
    [['your hat', 'your hat', 'your hat'], 'ARE YOU WORRIED ABOUT SOMEONE ELSES HAT'],
    [['if you were there'], 'DO YOU THINK ITS LIKELY THAT I WAS THERE'],
    [['My mom'], 'TELL ME MORE ABOUT YOUR FAMILY'],
    [["You're mean"], 'WHAT MAKES YOU THINK I AM MEAN'],
    [['names'], 'I AM NOT SURE I UNDERSTAND YOU FULLY'],
    [['', '', ' '], 'WHAT DOES THAT SUGGEST TO YOU'],
    // Nothing to answer before the comma, so the rest is answered
    [['we feel, my hat'], 'YOUR HAT'],
    [['my hat but my coat'], 'YOUR HAT'],
    // No key is left after NEWKEY: NONE, though the limit is 4 and a memory waits
    [['my hat', 'x', 'we like cake'], 'PLEASE GO ON'],
    [['my hat', 'x', 'cake'], 'LETS DISCUSS FURTHER WHY YOUR HAT'],
  ]
  for (const [inputs, reply] of oddities) t.equal(doctorSays(...inputs), reply, inputs.join(' | '))
})

t.test('load errors', async (t) => {
  const memory = '(MEMORY HEART (0 = A) (0 = B) (0 = C) (0 = D))'
  const none = '(NONE ((0) (X)))'
  const heart = '(HEART ((0) (OH)))'
  const errors: [string, number, RegExp][] = [
    ['', 1, /begins with its opening remarks/],
    ['HELLO', 1, /begins with its opening remarks/],
    ['(HELLO (A ((0) (B)))\n', 1, /never closed/],
    [scriptWith('(A ((0) (B)))\n(A ((0) (C)))'), 4, /rule 'A' occurs twice, first in line 3/],
    [scriptWith('\n(A)'), 4, /rule 'A': the keyword has no body/],
    [scriptWith('(A 5)'), 3, /rule 'A': the keyword has no body/],
    [`(HI)\n${heart}\n${memory}`, 3, /no rule NONE/],
    [`(HI)\n${heart}\n${none}`, 3, /no rule MEMORY/],
    [`(HI)\n${heart}\n${none}\n${memory}\n${memory}`, 5, /'MEMORY' occurs twice, first in line 4/],
    [`(HI)\n${none}\n${memory}`, 3, /'HEART' is not a keyword/],
    [`(HI)\n${heart}\n${none}\n(MEMORY HEART (0 = A))`, 4, /there are 1 transformations; give exactly 4/],
    [`(HI)\n${heart}\n${none}\n(MEMORY HEART (0 = A)\n(0 = B) (0 = 2)\n(0 = D))`, 5, /part 2, the decomposition has parts 1 to 1/],
    [`(HI)\n${heart}\n${none}\n(MEMORY HEART (0 A) (0 = B) (0 = C) (0 = D))`, 4, /a transformation is \(DECOMPOSITION = REASSEMBLY\)/],
    [`(HI)\n${heart}\n${none}\n(MEMORY (0 = A) (0 = B) (0 = C) (0 = D))`, 4, /the keyword to remember by/],
    [`(HI)\n${heart}\n${memory}\n(NONE ((0 A) (X)))`, 4, /'NONE': it has exactly one decomposition/],
    [`(HI)\n${heart}\n${memory}\n${none}\n${none}`, 5, /rule 'NONE' occurs twice/],
    [scriptWith('(A (=B))'), 3, /rule 'A': the link \(=B\) leads to no keyword/],
    [scriptWith('(A ((0)\n(=NONE)))'), 4, /the link \(=NONE\) leads to no keyword/],
    [scriptWith('(A ((0) (PRE (1)\n(=B))))'), 4, /the link \(=B\) leads to no keyword/],
    [scriptWith('(A = B)\n(C (=A))'), 4, /leads to a keyword with neither decompositions nor a link/],
    [scriptWith('(A (=B C))'), 3, /a link is one keyword/],
    [scriptWith('(A ((0 A 0)\n(B 0)))'), 4, /part 0, the decomposition has parts 1 to 3/],
    [scriptWith('(A ((0 A 0) (B 4)))'), 3, /part 4, the decomposition has parts 1 to 3/],
    [scriptWith('(A ((0 A 0) (PRE (4) (=A))))'), 3, /part 4/],
    [scriptWith('(A ((0)))'), 3, /no reassembly/],
    [scriptWith('(A ((0) ()))'), 3, /says nothing/],
    [scriptWith('(A ((0) WORD))'), 3, /'WORD' found where a reassembly/],
    [scriptWith('(A ((0) (B (C))))'), 3, /a reassembly is words and numbers/],
    [scriptWith('(A ((0 = B) (C)))'), 3, /'=' cannot be in a decomposition/],
    [scriptWith('(A ((0 (B)) (C)))'), 3, /a list in a decomposition is/],
    [scriptWith('(A ((0 (*)) (C)))'), 3, /a list in a decomposition is/],
    [scriptWith('(A DLIST(B))'), 3, /tags are written DLIST\(\/TAG/],
    [scriptWith('(A 5 6 (=HEART))'), 3, /'6' fits no place here/],
    [scriptWith("(DON'T YOU KNOW)"), 3, /'YOU' fits no place here/],
    [scriptWith('(A (B) (=HEART))'), 3, /a list here is/],
    [scriptWith('((A))'), 3, /a rule begins with its keyword/],
    [scriptWith('A'), 3, /'A' is outside of any rule/],
    [scriptWith(')'), 3, /closes nothing/],
    [scriptWith('(A (=B))\n(C (=D))'), 3, /\(=B\).* \(and 1 more\)$/],
  ]
  for (const [text, line, message] of errors) {
    const result = loadScript(text, 'a/b.script')
    t.match(
      result,
      { ok: false, error: { error: 'config_invalid', category: 'config', path: 'a/b.script', line, detail: message } },
      `${JSON.stringify(text)}`,
    )
    if (!result.ok) t.ok(result.error.detail.startsWith(`cannot load script 'a/b.script': line ${line}: `), result.error.detail)
  }
})

t.test('notation', async (t) => {
  const rules = '(b (=heart) dlist( / t) 3 = c)(a ((0 (/ t) 0)(x 1, 2= y)))'
  t.match(loadScript(scriptWith(rules), 'a').ok, false, 'an equals sign is always alone')
  const text = scriptWith(rules.replace('=', '= ').replace('2= y', '2y')).replace('(HELLO)\nSTART', '\ufeff(hello ; a remark)\n there) ()')
  const script = load(text)
  t.equal(script.greeting, 'HELLO THERE')
  t.match(script.rules.get('B'), { substitute: 'C', precedence: 3, tags: ['T'], link: 'HEART' })
  t.strictSame(script.rules.get('A')?.decompositions[0]?.reassemblies, [{ kind: 'text', template: ['X', 1, ',', 2, 'Y'] }])
  t.equal(loadScript('('.repeat(200_000), 'deep').ok, false)
})

t.test('links in circles, texts that double, and long inputs end', async (t) => {
  const circle = new ElizaSession(load(scriptWith('(A (=B))\n(B ((0) (=A)))')))
  t.equal(circle.reply('a'), 'HMMM')
  const grower = new ElizaSession(load(scriptWith('(A ((0) (PRE (1 1) (=A))))')))
  t.equal(grower.reply('a'), 'HMMM')
  const newkeys = scriptWith('(A 1 ((0) (NEWKEY)))').replace(/\(NONE.*\n/, '(NONE ((0) (NEWKEY)))')
  t.equal(new ElizaSession(load(newkeys)).reply('a a a'), 'HMMM')

  const many = 100_000
  const floods: [string, string | RegExp][] = [
    ['like ', 'I AM NOT SURE I UNDERSTAND YOU FULLY'],
    ['can ', 'HMMM'],
    ['x, ', 'I AM NOT SURE I UNDERSTAND YOU FULLY'],
    ['if you feel me ', /^DO YOU THINK ITS LIKELY THAT I FEEL YOU IF I FEEL YOU .*FEEL YOU$/],
    ['my ', /^YOUR YOUR .*YOUR$/],
    ['i ', /^YOU SAY YOU YOU .*YOU$/],
  ]
  for (const [piece, reply] of floods) t.match(doctorSays(piece.repeat(many)), reply, `'${piece}' ${many} times`)
})

const words = [...DOCTOR.rules.keys(), 'NONE', 'HAT', 'HAPPY', 'WANT', 'REMIND', 'OF', 'DO', 'IS', ',', '.', 'BUT', 'x', '\u00df']
const sentence = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.constantFrom(...words), { maxLength: 8 }).map((list) => list.join(' ')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
)

t.test('any input has a reply, and the same inputs have the same', async (t) => {
  await holds(
    t,
    fc.property(fc.array(sentence, { maxLength: 12 }), (inputs) => {
      for (const script of [DOCTOR, MINI]) {
        const replies = converse(new ElizaSession(script), inputs)
        if (!replies.every((reply) => reply.length > 0)) return false
        if (replies.join('\n') !== converse(new ElizaSession(script), inputs).join('\n')) return false
      }
      return true
    }),
  )
})

t.test('what calls a tool, and what is a sentence', async (t) => {
  const orders: [string, unknown][] = [
    ['call f', { name: 'f', input: {} }],
    [' call  f  {"a": [1]} ', { name: 'f', input: { a: [1] } }],
    ['call f {"a":', { name: 'f', input: { invalid_json: '{"a":' } }],
    ['call f 5', { name: 'f', input: 5 }],
    ['call A.f {}', { name: 'A.f', input: {} }],
    ['call s:f {}', { name: 's:f', input: {} }],
    ['call g {}', { name: 'g', input: {} }],
    ['call me', undefined],
    ['call me ishmael', undefined],
    ['call her: {}', undefined],
    ['please call f', undefined],
    ['Call f', undefined],
    ['recall f', undefined],
  ]
  for (const [text, order] of orders) t.strictSame(readOrder(text, ['f', 'A.f', 's:f']), order, text)
  t.equal(readOrder('call f {}', []), undefined, 'without tools there is nothing to call')
})

t.test('calls are not part of the conversation of 1966', async (t) => {
  const tools = [{ name: 'f', description: '', input_schema: {} }]
  const STRING = { kind: 'string' } as const
  const talk = (history: ChatMessage[], remembers: boolean) => {
    const eliza = openEliza(DOCTOR)
    let memory = history
    return async (input: string): Promise<string> => {
      const turn: ChatMessage[] = [{ role: 'user', content: input }]
      const ask = async () => {
        const question = { history: memory, turn, tools, input: STRING, output: STRING } as unknown as ModelRequest
        const said = await eliza.answer(question, new Cancellation())
        if (!said.ok) throw new Error(said.error.detail)
        return said.value
      }
      let answer = await ask()
      for (const block of answer.content) {
        if (block.type !== 'tool_use') continue
        turn.push({ role: 'assistant', content: [...answer.content] })
        turn.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: block.id, content: 'my mother', is_error: false }] })
        answer = await ask()
      }
      memory.push(...turn, { role: 'assistant', content: toMessageContent(answer.content) })
      // As a memory is that was read and set again.
      if (remembers) memory = structuredClone(memory)
      return String(toMessageContent(answer.content))
    }
  }
  for (const remembers of [false, true]) {
    const [plain, mixed] = [talk([], remembers), talk([], remembers)]
    for (const input of ['my hat', 'x', 'We like cake', 'cake', 'my coat', 'y', 'z', 'cake']) {
      t.equal(await mixed('call f {}'), 'my mother')
      t.equal(await mixed(input), await plain(input), `${input}, memory ${remembers ? 'set' : 'kept'}`)
    }
  }
})

t.test('a restored session goes on as the first would', async (t) => {
  fc.assert(
    fc.property(fc.array(sentence, { maxLength: 12 }), fc.array(sentence, { maxLength: 12 }), (before, after) => {
      const first = new ElizaSession(DOCTOR)
      converse(first, before)
      const state: unknown = JSON.parse(JSON.stringify(first.snapshot()))
      const second = new ElizaSession(load(doctorText))
      converse(second, after)
      return second.restore(state).ok && converse(second, after).join('\n') === converse(first, after).join('\n')
    }),
  )
  const session = new ElizaSession(DOCTOR)
  t.strictSame(session.snapshot(), { limit: 1, memories: [], next: {} })
  converse(session, ['my hat', 'we like cake'])
  t.strictSame(session.snapshot(), { limit: 3, memories: ['LETS DISCUSS FURTHER WHY YOUR HAT'], next: { MY: [0, 1], NONE: [1] } })
})

t.test('a state that is none changes nothing', async (t) => {
  const session = new ElizaSession(DOCTOR)
  converse(session, ['my hat', 'x'])
  const before = session.snapshot()
  const malformed: unknown[] = [
    undefined,
    null,
    7,
    'state',
    [],
    {},
    { ...before, limit: 0 },
    { ...before, limit: 5 },
    { ...before, limit: 1.5 },
    { ...before, limit: '1' },
    { ...before, memories: 'A' },
    { ...before, memories: [1] },
    { ...before, next: [] },
    { ...before, next: { UNKNOWN: [1] } },
    { ...before, next: { MY: 1 } },
    { ...before, next: { MY: [1] } },
    { ...before, next: { MY: [0, 4] } },
    { ...before, next: { MY: [0, -1] } },
    { ...before, next: { MY: [0, null] } },
    { ...before, next: JSON.parse('{"__proto__":[1]}') },
    { ...before, more: 1 },
  ]
  for (const state of malformed) {
    t.match(session.restore(state), { ok: false, error: { error: 'input_type_mismatch', category: 'invalid' } }, JSON.stringify(state))
    t.strictSame(session.snapshot(), before)
  }
  t.equal(session.reply('cake'), 'LETS DISCUSS FURTHER WHY YOUR HAT')
})
