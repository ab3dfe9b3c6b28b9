// plumb run over real pipes: lines and their errors, envelopes, nested specs, options, and what every input comes to.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import fc from 'fast-check'
import t from 'tap'
import { holds, runs } from '../../wire/test/property.js'
import { lines, makeShell } from './shell.js'

const INNER = 'let inner : !int -> !int = plumb(from, to) { from ; map(value + 1) ; to }\n'
const MAIN = 'let main : !int -> !int = '
const BODY = 'let main : !int -> !int = plumb(input, output)'
const QUOTIENT = 'let main : !int -> !number = '
const agent = (name: string, script: string) =>
  `let ${name} : !int -> !int = agent { command: ["bash", "-c", ${JSON.stringify(script)}] }\n`

const { shell, table, makeTestDirectory, env, fixtures } = makeShell({
  'id.plumb': `${MAIN}id\n`,
  'json.plumb': 'let main : !json -> !json = id\n',
  'text.plumb': 'let main : !string -> !string = id\n',
  'inc.plumb': `${MAIN}map(value + 1)\n`,
  'even.plumb': `${MAIN}filter(value % 2 = 0)\n`,
  'part.plumb': 'let main : !json -> !json = map(value.a)\n',
  'pair.plumb': 'let main : (!int, !int) -> !(int, int) = plumb(a, b, c) { (a * b) ; barrier ; c }\n',
  'two.plumb': 'let main : !int -> (!int, !int) = plumb(from, x, y) {\n from ; map(value * 2) ; x\n from ; y\n}\n',
  'swap.plumb': 'let main : (!int, !int) -> (!int, !int) = plumb(a, b, x, y) {\n a ; y\n b ; x\n}\n',
  'none.plumb': 'let main : () -> !int = empty\n',
  'nested.plumb': `${INNER}${MAIN}filter(value > 0) ; inner ; map(value * 10)\n`,
  'nested-fails.plumb': `let inner : !int -> !number = plumb(from, to) { from ; map(60 / (value - 2)) ; to }\n${BODY.replace('-> !int', '-> !number')} {\n input ; filter(value > 1) ; inner ; output\n}\n`,
  'lib/both.plumb':
    'let deep : !int -> !int = plumb(p, q) { p ; map(value + 1) ; q }\nlet both : (!int, !int) -> (!int, !int) = plumb(a, b, x, y) {\n a ; map(value * 10) ; x\n b ; deep ; y\n}\n',
  'uses.plumb':
    'use "./lib/both.plumb" as Both\nlet main : (!int, !int) -> (!int, !int) = plumb(l, r, o, u) { spawn Both.both(l, r, o, u) }\n',
  'parrot.plumb': `${agent('main', 'while read -r x; do if [ "$x" = 3 ]; then echo oops; elif [ "$x" = 4 ]; then echo [4]; else echo "$x"; fi; done')}`,
  'behind.plumb': `${agent('parrot', 'cat')}let main : !int -> !number = parrot ; map(6 / value)\n`,
  'refusing.plumb': `${agent('picky', `while read -r x; do n=$((n + 1)); if [ "$x" = 2 ]; then echo '{"seq":'$n',"error":{"error":"timeout","category":"unavailable","detail":"late"}}'; else echo '{"seq":'$n',"value":'"$x"',"done":true}'; fi; done; exit 1`).replace(' }\n', ', answers: "numbered" }\n')}let main : !int -> !number = picky ; map(6 / value)\n`,
  'doctor.plumb':
    'let doc : !string -> !string = agent { provider: "eliza", model: "doctor" }\nlet main : !string -> !number = doc ; map(11 / (length(value) - 11))\n',
  'fan.plumb': `${agent('parrot', 'cat')}${BODY} {\n input ; parrot ; output\n input ; filter(value > 1) ; output\n}\n`,
  'broken.plumb': `${MAIN}mop\n`,
  'ledger.plumb': `${QUOTIENT}map(60 / value) ; filter(value > 0)\n`,
  'ledger-agent.plumb': `${agent('parrot', 'cat')}${QUOTIENT}parrot ; map(60 / value) ; filter(value > 0)\n`,
  'ledger-nested.plumb': `let quotient : !int -> !number = plumb(from, to) { from ; filter(value >= 0) ; map(60 / value) ; to }\n${QUOTIENT}filter(value > -10) ; quotient\n`,
})

table('lines', {
  'fault 1: nothing in, nothing out': { run: 'id' },
  'faults 2, 3, 6: blank lines, CR LF, a byte-order mark, no last line end': { run: 'id', in: '\ufeff1\r\n\n \r\n\t\n2', out: '1\n2\n' },
  'line counts all, seq those that are not blank': {
    run: 'id',
    in: '\n1\nx\n\n"a"\n2\n',
    out: '1\n2\n',
    errors: [
      { error: 'invalid_json', port: 'input', line: 3, seq: 2 },
      { error: 'input_type_mismatch', port: 'input', line: 5, seq: 3, expected: 'int' },
    ],
  },
  'the first error is the last': {
    run: 'plumb --fail-fast id.plumb',
    in: '1\nx\n2\ny\n',
    out: '1\n',
    errors: [{ error: 'invalid_json', line: 2, seq: 2 }],
  },
  'the first error is the last, of a nested plumb too, and what is in flight is delivered': {
    run: `mkfifo in; exec 8<>in; printf '3\\n2\\n' >&8; plumb --fail-fast nested-fails.plumb <in; echo $?`,
    out: '60\n1\n',
    errors: [{ error: 'evaluation_failed' }],
    status: 0,
  },
  'fault 4: a truncated last line': {
    run: 'json',
    in: '1\n\n{"b":',
    out: '1\n',
    errors: [{ error: 'truncated_line', port: 'input', line: 3, seq: 2 }],
  },
  'a truncated last line where a map makes the check': {
    run: 'inc',
    in: '1\n2\n[',
    out: '2\n3\n',
    errors: [{ error: 'truncated_line', line: 3, seq: 3 }],
  },
  'a truncated last line where a filter makes the check': {
    run: 'even',
    in: '2\n[',
    out: '2\n',
    errors: [{ error: 'truncated_line', line: 2, seq: 2 }],
  },
  'a whole last line of a wrong type': { run: 'inc', in: '1\n[]', out: '2\n', errors: [{ error: 'input_type_mismatch', line: 2, seq: 2 }] },
  'main reports what its filter would drop': {
    run: 'even',
    in: '"a"\n2\n',
    out: '2\n',
    errors: [{ error: 'input_type_mismatch', line: 1, seq: 1 }],
  },
  'faults 5, 8: bytes that are not UTF-8, a line separator, half a character': {
    run: 'text',
    in: Buffer.from('"\xff"\n"\xe2\x80\xa8"\n"caf\xc3', 'latin1'),
    out: '"\u2028"\n',
    errors: [
      { error: 'invalid_utf8', line: 1, seq: 1 },
      { error: 'truncated_line', line: 3, seq: 3 },
    ],
  },
  'faults 13, 14: too deep, not finite': {
    run: 'json',
    in: `${'['.repeat(600)}${']'.repeat(600)}\n${'['.repeat(512)}${']'.repeat(512)}\n1e999\n1e308\n`,
    out: `${'['.repeat(512)}${']'.repeat(512)}\n1e308\n`,
    errors: [
      { error: 'too_deep', line: 1 },
      { error: 'invalid_json', line: 3 },
    ],
  },
  'fault 11: too long': {
    run: 'plumb --max-line 4 id.plumb',
    in: '123456\n12\n12345',
    out: '12\n',
    errors: [
      { error: 'line_too_long', line: 1, seq: 1 },
      { error: 'line_too_long', line: 3, seq: 3 },
    ],
  },
  'a nested plumb takes as long a line': { run: 'plumb --max-line 40000000 nested.plumb', in: `${' '.repeat(17_000_000)}4\n`, out: '50\n' },
  'raw lines': { run: 'plumb -Rr text.plumb', in: 'a "b"\n\nc\\', out: 'a "b"\n\nc\\\n' },
  'what main does not read stays unread': { run: 'yes 1 | { plumb none.plumb; head -1; }', out: '1\n' },
})

table('envelopes', {
  'several inputs: a plain line is for the first': {
    run: 'pair',
    in: '1\n{"__port":"b","msg":10}\n {"msg":20,"__port":"b"}\n{"__port":"a","msg":2}\n',
    out: '[1,10]\n[2,20]\n',
  },
  'each port closes by itself': {
    run: 'pair',
    in: '1\n2\n{"__port":"a","eof":true}\n3\n{"__port":"b","msg":1}\n{"__port":"b","eof":true}\n{"__port":"b","msg":1}\n',
    out: '[1,1]\n',
    errors: [
      { error: 'bad_envelope', port: 'a', line: 4, seq: 3 },
      { error: 'unpaired', category: 'invalid', left: [1, 0], detail: /1 of 'a'/ },
    ],
  },
  'fault 22: bad ones': {
    run: 'plumb --mux swap.plumb',
    in: '1\n{"__port":"c","msg":1}\n{"__port":"a"}\n{"__port":7,"msg":1}\n{"__port":"a","msg":1,"x":2}\n{"__port":"a","msg":"s"}\n{"__port":"b","msg":7}\n{"__port":"a","ms',
    out: lines({ __port: 'x', msg: 7 }),
    errors: [
      { error: 'bad_envelope', line: 1, seq: 1 },
      { error: 'unknown_port', category: 'not_found', line: 2, port: 'c' },
      { error: 'bad_envelope', line: 3 },
      { error: 'bad_envelope', line: 4 },
      { error: 'bad_envelope', line: 5 },
      { error: 'input_type_mismatch', line: 6, port: 'a' },
      { error: 'truncated_line', line: 8, seq: 8 },
    ],
  },
  'several outputs': { run: 'two', in: '4\n', out: lines({ __port: 'x', msg: 8 }, { __port: 'y', msg: 4 }) },
  'one output under --mux': { run: 'plumb --mux id.plumb', in: '{"__port":"input","msg":1}\n', out: lines({ __port: 'output', msg: 1 }) },
  none: { run: 'plumb --no-envelopes json.plumb', in: '{"__port":"input","msg":1}\n', out: '{"__port":"input","msg":1}\n' },
  'fault 22: a value that has a port of its own, computed or not': {
    run: 'cat > x; plumb json.plumb < x; plumb part.plumb < x',
    in: '{"a":1}\n{"a":{"__port":2}}\n{"a":3,"\\u005f_port":4}\n{"a":5}\n',
    out: '{"a":1}\n{"a":{"__port":2}}\n{"__port":"output","msg":{"a":3,"\\u005f_port":4}}\n{"a":5}\n1\n{"__port":"output","msg":{"__port":2}}\n3\n5\n',
  },
})

table('what an input comes to', {
  'a plumb of its own': { run: 'nested', in: '1\n0\n2\n', out: '20\n30\n' },
  'errors of a nested plumb have our seq': {
    run: 'nested-fails',
    in: '0\n3\n2\n',
    out: '60\n',
    errors: [{ error: 'evaluation_failed', source: 'inner', seq: 3, line: 3 }],
  },
  'an agent that answers badly': {
    run: 'parrot',
    in: '1\n\nx\n3\n4\n5\n',
    out: '1\n5\n',
    errors: [
      { error: 'invalid_json', port: 'input', line: 3, seq: 2 },
      { error: 'invalid_json', process: 'main', port: 'output', seq: 3 },
      { error: 'output_type_mismatch', category: 'invalid', process: 'main', seq: 4 },
    ],
  },
  'an error behind an agent': {
    run: 'behind',
    in: '3\n0\n2\n',
    out: '2\n3\n',
    errors: [{ error: 'evaluation_failed', process: 'map', seq: 2 }],
  },
  'an error behind errors of an agent': {
    run: 'plumb refusing.plumb 2> err; pick "[_.seq, _.error]" < err | sort',
    in: '1\n2\n3\n2\n0\n2\n6\n',
    out: '6\n2\n1\n[2,"timeout"]\n[4,"timeout"]\n[5,"evaluation_failed"]\n[6,"timeout"]\n',
  },
  'an error behind ELIZA': {
    run: 'doctor',
    in: '"I am sad"\n"Men are all alike."\n"I am sad"\n',
    out: /^0\.5\d*\n0\.2\d*\n$/,
    errors: [{ error: 'evaluation_failed', seq: 2 }],
  },
  'two branches': { run: 'plumb fan.plumb | sort -n', in: '1\n2\n3\n', out: '1\n2\n2\n3\n3\n' },
})

table('specs', {
  'in a module, called from elsewhere, inline, by descriptor': {
    run: `cat > x; plumb uses.plumb < x; (cd /; plumb ${'$OLDPWD'}/uses.plumb < "$OLDPWD"/x); plumb -e "$(cat uses.plumb)" < x; plumb <(sed "s#./lib#$PWD/lib#" uses.plumb) < x`,
    in: '1\n{"__port":"r","msg":5}\n',
    out: (out) =>
      out.split('\n').sort().join() ===
      `,${`${lines({ __port: 'o', msg: 10 })}`.trim().concat(',').repeat(4)}${lines({ __port: 'u', msg: 6 }).trim().concat(',').repeat(4)}`.slice(
        0,
        -1,
      ),
  },
  'a file that is gone once it has been read': {
    // The nested plumb is started before the first answer.
    run: 'cp nested.plumb gone.plumb; mkfifo to from; plumb gone.plumb < to > from & exec 8>to 9<from; echo 1 >&8; read -r x <&9; echo junk > gone.plumb; rm gone.plumb; echo 2 >&8; exec 8>&-; echo "$x"; cat <&9; wait $!',
    out: '20\n30\n',
  },
  'another binding': { run: 'plumb --binding inner nested.plumb', in: '1\n', out: '2\n' },
})

const usage = (detail: RegExp, error = 'usage') => ({ errors: [{ error, category: 'config', detail }], status: 2 })
table('options', {
  'a misspelt option': { run: 'plumb --bindng x id.plumb', ...usage(/did you mean '--binding'/, 'unknown_option') },
  'too many arguments': {
    run: 'plumb id.plumb inc.plumb',
    ...usage(/too many arguments.*got 2; see --help; the input is standard input, as in 'plumb spec\.plumb <in\.jsonl'/),
  },
  'a stage without its name': { run: 'plumb stage id.plumb', ...usage(/which has to be named: plumb stage NAME id\.plumb/) },
  'two specs in one': { run: 'plumb -e "" id.plumb', ...usage(/'id.plumb' is one too many/) },
  'envelopes and text': { run: 'plumb --mux -R id.plumb', ...usage(/--mux and --raw-input exclude each other/) },
  'envelopes and none': { run: 'plumb --mux --no-envelopes id.plumb', ...usage(/--mux and --no-envelopes exclude each other/) },
  'help and version': { run: 'plumb --help | head -1; plumb --version', out: /^Usage: plumb .*\n\d+\.\d+\.\d+\nprices: .*\n$/ },
  'help into a full device': { run: 'plumb --help >/dev/full', errors: [{ error: 'write_failed' }] },
  'a run that waits for nothing, and has not ended': {
    run: `echo 1 | NODE_OPTIONS='--require ${fixtures}/without-end.cjs' plumb id.plumb`,
    out: '1\n',
    errors: [{ error: 'internal', detail: /^the run has not ended/ }],
    status: 1,
  },
  'no spec': { run: 'plumb run', ...usage(/no spec/) },
  'no number': { run: 'plumb --max-in-flight many id.plumb', ...usage(/whole number/) },
  'no such file': { run: 'plumb nix.plumb', ...usage(/cannot read 'nix.plumb'/, 'file_not_found') },
  'no such binding': { run: 'plumb --binding inner1 nested.plumb', ...usage(/did you mean 'inner'/, 'main_missing') },
  'a spec with errors starts nothing': {
    run: 'PLUMB_ERRORS=json plumb broken.plumb',
    in: '1\n',
    errors: [{ code: 'unknown_name', line: 1, severity: 'error' }],
    status: 2,
  },
  check: { run: 'plumb check id.plumb uses.plumb', out: 'id.plumb: ok (0 types, 1 bindings)\nuses.plumb: ok (0 types, 1 bindings)\n' },
  'check reports all and goes on': {
    run: 'plumb check --json broken.plumb nix.plumb id.plumb',
    out: /^\{"file":"broken.plumb",.*"code":"unknown_name".*\}\n\{"ok":true,/,
    errors: [{ error: 'file_not_found' }],
    status: 2,
  },
  explain: { run: 'plumb explain truncated_line', out: /^truncated_line \(invalid, exit status 1/ },
  'explain what is not a code': { run: 'plumb explain truncated_lin', ...usage(/did you mean 'truncated_line'/) },
})
// JSON texts in all their spellings, with keys that could be taken for those of an envelope.
const KEYS = ['"__port"', '"\\u005f_port"', '"msg"', '"eof"', '"a"', '"__proto__"']
const NUMBERS = ['0', '-0', '1.0', '1e5', '-2.50E-3', '12345678901234567890', '0.1000']
const space = fc.constantFrom('', '', ' ', '\t')
const { text } = fc.letrec<{ text: string; array: string; object: string }>((tie) => ({
  text: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('null', 'true', 'false', ...NUMBERS, '"\\ud800"', '"\\/"', '"\u2028"', '"{\\"__port\\":1}"'),
    fc.string({ unit: 'binary' }).map((value) => JSON.stringify(value)),
    tie('array'),
    tie('object'),
    tie('object'),
  ),
  array: fc.tuple(fc.array(tie('text'), { maxLength: 3 }), space).map(([items, gap]) => `[${gap}${items.join(`${gap},`)}]`),
  object: fc
    .tuple(fc.array(fc.tuple(fc.constantFrom(...KEYS), tie('text')), { maxLength: 4 }), space)
    .map(([members, gap]) => `{${gap}${members.map(([key, value]) => `${key}${gap}:${gap}${value}`).join(`${gap},${gap}`)}}`),
}))

const enveloped = (value: string): string => `{"__port":"output","msg":${value}}`

const keysOf = (value: string): string[] => {
  const parsed: unknown = JSON.parse(value)
  return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? Object.keys(parsed).sort() : []
}

// Not readline: on Node 24 it ends a line at U+2028 too.
async function* linesOf(stream: Readable): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of stream.setEncoding('utf8')) {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop() ?? ''
    yield* parts
  }
}

t.test('fault 22: two in a row pass every value on as it is', async (t) => {
  const pipe = spawn('bash', ['-c', 'plumb json.plumb | plumb json.plumb'], {
    cwd: makeTestDirectory(),
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const answers = linesOf(pipe.stdout)
  const property = fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 20 }), async (values) => {
    const sent = values.map((value) => (['__port,msg', '__port,eof'].includes(keysOf(value).slice(-2).join()) ? enveloped(value) : value))
    pipe.stdin.write(sent.map((line) => `${line}\n`).join(''))
    for (const value of values) {
      const { value: answer } = await answers.next()
      assert.equal(answer, keysOf(value).includes('__port') ? enveloped(value) : value)
    }
  })
  await fc.assert(property, { numRuns: runs(120) })
  pipe.stdin.end()
  t.match(await answers.next(), { done: true })
})

t.test('fault 41: every input has one outcome, and errors have its seq', async (t) => {
  const specs = ['ledger', 'ledger-agent', 'ledger-nested']
  const line = fc.constantFrom('1', '2', '-3', '0', '60', '', ' ', 'x', '"a"', '[')
  const property = fc.asyncProperty(fc.constantFrom(...specs), fc.array(line, { maxLength: 30 }), async (spec, all) => {
    const inputs = all.filter((value) => value.trim() !== '')
    const isGood = (value: string) => /^-?\d+$/.test(value)
    const failed = inputs.flatMap((value, i) => (isGood(value) && Number(value) !== 0 ? [] : [i + 1]))
    const left = inputs.filter((value) => isGood(value) && Number(value) > 0).map((value) => 60 / Number(value))
    const { out, err, status } = await shell(`plumb ${spec}.plumb`, all.map((value) => `${value}\n`).join(''))
    assert.equal(out, lines(...left), err)
    const reported = err.split('\n').flatMap((error) => (error === '' ? [] : [(JSON.parse(error) as { seq: number }).seq]))
    assert.deepEqual(
      reported.sort((a, b) => a - b),
      failed,
      err,
    )
    assert.equal(status, failed.length > 0 ? 1 : 0)
  })
  await holds(t, property, { numRuns: runs(24) })
})
