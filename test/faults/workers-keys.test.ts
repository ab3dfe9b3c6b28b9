// long
// Keys that a command gives, in runs by workers: each worker asks for its own, none is sent again once it was refused, also where a worker is
// killed, and none is in the tables, in a record, or in what is told.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { GET_KEY, KEY, openKeyedModel } from '../keyed-model.js'
import { end, lines, PATIENCE_MS, type Stage, stageOf } from './worker-stage.js'

const SPEC = `let bot : !string -> !string = agent {
  provider: "anthropic", model: "m", endpoint: "MODEL", key_command: ["./getkey"], amnesiac: true, transport_retries: 0
}
let main : !string -> !string = plumb(input, output) { input ; bot ; map(upper(value)) ; output }
`
const MANY = Array.from({ length: 40 }, (_, i) => `"${i}"\n`).join('')
const onStage = stageOf({ 'm/keyed.plumb': SPEC, 'm/getkey': GET_KEY, 'in.jsonl': MANY })

/** Tables with a row that has a key, as text or as bytes. */
const tablesWithKeys = ({ cluster }: Stage): readonly string[] => {
  const tables = lines(cluster.ask("SELECT table_name FROM information_schema.tables WHERE table_schema = 'plumb'"))
  const hex = Buffer.from(KEY).toString('hex')
  return tables.filter((name) => {
    const count = cluster.ask(`SELECT count(*) FROM plumb.${name} t WHERE t::text LIKE '%${KEY}%' OR t::text LIKE '%${hex}%'`)
    return Number(count) > 0
  })
}

const filesWithKeys = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(directory, name)
    return !name.endsWith('getkey') && statSync(path).isFile() && readFileSync(path, 'latin1').includes(KEY)
  })

onStage('a worker that is killed and its successor, with keys that are good for three requests', async (t, stage) => {
  const { bash, serve, submit, work } = stage
  const model = await openKeyedModel(t, (_, uses) => uses < 3)
  await bash(`sed -i 's#MODEL#${model.url}#' m/keyed.plumb`)
  const first = serve('m/keyed.plumb')
  const submitter = submit('--run', 'keyed', '--record', 'rec', 'm/keyed.plumb')
  submitter.write(MANY.slice(0, 60))
  t.ok(await submitter.reports(/\n/, 1, PATIENCE_MS))
  first.child.kill('SIGKILL')
  const second = serve('--trace', 'worker.json', 'm/keyed.plumb')
  submitter.write(MANY.slice(60))
  submitter.child.stdin?.end()
  t.strictSame(await submitter.ended, { status: 0, signal: null }, submitter.reported(2))
  await end(second)
  t.strictSame(lines(submitter.reported(1)), new Array(40).fill('"OK"'))
  t.ok(model.asked.filter(({ isRefused }) => isRefused).length > 5, 'keys were refused')
  t.strictSame(
    model.asked.filter(({ isOld }) => isOld),
    [],
    'no key is sent again once it was refused',
  )
  t.ok(new Set(lines(readFileSync(join(work, 'm/calls'), 'utf8'))).size > 1, 'by several processes')
  t.notOk(existsSync(join(work, 'm/overlaps')), 'one call at a time')
  t.strictSame([tablesWithKeys(stage), filesWithKeys(work)], [[], []])
  for (const one of [first, second, submitter]) t.notMatch(`${one.reported(1)}${one.reported(2)}`, KEY)
})
