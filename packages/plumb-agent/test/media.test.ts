// Images, documents and audio of inputs: what becomes a block of the message, what is refused, and how each API is asked.

import t from 'tap'
import { mediaSizeOf } from '../src/provider/media-size.js'
import { json, openClient, openStub } from './fixtures/provider/stub.js'
import { openShell } from './shell.js'

// One dot.
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

const { runTable } = openShell({
  'a.plumb': `
use media
let look : !{ q: string, photos: [Media.Image], doc?: Media.Document, sound?: Media.Audio } -> !string =
  agent { provider: "eliza", model: "doctor" }
`,
  'one.plumb': 'use media\nlet look : !(string | Media.Image) -> !string = agent { provider: "eliza", model: "doctor" }\n',
  'plain.plumb': 'let main : !string -> !string = agent { provider: "eliza", model: "doctor" }\n',
  // Looks like an image, and is not a type of the module.
  'own.plumb': 'let main : !{ kind: "image", path?: string } -> !string = agent { provider: "eliza", model: "doctor" }\n',
  'cat.b64': PNG,
  'doc.pdf': '%PDF-1.4 nothing more',
  'notes.txt': 'Bring milk.',
  'rules.json': '[{"effect":"fs.read","path":"**/open/**","decision":"allow"}]',
})

const SETUP = 'base64 -d < cat.b64 > cat.png; mkdir open; cp cat.png open/; ln -s /etc/hostname out.png; '
const photos = (...values: readonly object[]): string => JSON.stringify({ q: 'I am sad', photos: values })
const feed = (...lines: readonly string[]): string => `printf '%s\\n' ${lines.map((line) => `'${line}'`).join(' ')} | `
const SAD = 'I AM SORRY TO HEAR YOU ARE SAD'

runTable('media of an input', {
  'files, by the content and not by the name': {
    run: `${SETUP} cp cat.png cat.jpg; ${feed(
      JSON.stringify({
        q: 'I am sad',
        photos: [
          { kind: 'image', path: 'cat.jpg', title: 'the cat' },
          { kind: 'image', path: './open/cat.png', media_type: 'image/png' },
        ],
        doc: { kind: 'document', path: 'notes.txt' },
      }),
    )} plumb-agent a.plumb`,
    out: `"${SAD} [image 'the cat', image/png, 70 bytes] [image, image/png, 70 bytes] [document 'notes.txt', text/plain, 11 bytes]"\n`,
  },
  'bytes and addresses': {
    run: `${feed(photos({ kind: 'image', data: PNG }, { kind: 'image', url: 'https://example.org/a.png' }))} plumb-agent a.plumb`,
    out: `"${SAD} [image, image/png, 70 bytes] [image, https://example.org/a.png]"\n`,
  },
  'one that is refused does not touch its neighbours': {
    run: `${SETUP} ${feed(
      photos(),
      photos({ kind: 'image', path: 'cat.png' }, { kind: 'image', path: 'doc.pdf' }),
      '{"q":"I am sad","photos":[],"sound":{"kind":"audio","path":"notes.txt"}}',
      photos({ kind: 'image', path: 'cat.png', media_type: 'image/gif' }),
      photos({ kind: 'image', data: 'aGVsbG8' }),
      photos({ kind: 'image', url: 'file:///etc/passwd' }),
      photos({ kind: 'image' }),
      photos({ kind: 'image', path: 'cat.png', url: 'https://example.org/' }),
      photos({ kind: 'image', path: 'nowhere.png' }),
      photos({ kind: 'image', path: 'out.png' }),
      photos({ kind: 'image', path: '../x' }),
      photos({ kind: 'image', path: '.env' }),
      photos(),
    )} plumb-agent a.plumb`,
    out: /^"I AM SORRY[^\n]*"\n"[^\n]*"\n$/,
    errors: [
      ['unsupported_media', "at .photos[1]: 'doc.pdf' is application/pdf, and image is one of image/png, image/jpeg"],
      ['unsupported_media', "at .sound: 'notes.txt' is text/plain"],
      ['unsupported_media', "'cat.png' is image/png, and its media_type says 'image/gif'"],
      ['unsupported_media', 'is not base64'],
      ['unsupported_media', "not an address of http or https: 'file:///etc/passwd'"],
      ['input_type_mismatch', "needs one of 'path', 'url' and 'data', and none of them is there"],
      ['input_type_mismatch', '2 of them are there'],
      ['no_such_file', "there is no 'nowhere.png'"],
      ['path_denied', 'leads outside the root through a link'],
      ['path_denied', 'leads outside the roots'],
      ['path_denied', "'.env' is kept from tools"],
    ],
    status: 1,
  },
  'a file needs fs.read': {
    run: `${SETUP} ${feed(photos({ kind: 'image', path: 'cat.png' }), photos({ kind: 'image', data: PNG }))} plumb-agent --grant net a.plumb`,
    out: `"${SAD} [image, image/png, 70 bytes]"\n`,
    errors: [['permission_denied', "'cat.png' is not read: tool 'media' has the effect fs.read, and only net is granted"]],
    status: 1,
  },
  'and the rules of a policy hold': {
    run: `${SETUP} ${feed(photos({ kind: 'image', path: 'cat.png' }), photos({ kind: 'image', path: 'open/cat.png' }))} plumb-agent --policy rules.json a.plumb`,
    out: `"${SAD} [image, image/png, 70 bytes]"\n`,
    errors: [['permission_denied', 'no rule of the policy allows it on']],
    status: 1,
  },
  'paths are below the docroot': {
    run: `${SETUP} ${feed(photos({ kind: 'image', path: 'cat.png' }), photos({ kind: 'image', path: '../cat.png' }))} plumb-agent --docroot open a.plumb`,
    out: `"${SAD} [image, image/png, 70 bytes]"\n`,
    errors: [['path_denied']],
    status: 1,
  },
  'a file that is too large': {
    run: `truncate -s 20971521 big.png; ${feed(photos({ kind: 'image', path: 'big.png' }))} plumb-agent a.plumb`,
    errors: [['too_large', "'big.png' has 20971521 bytes, and at most 20971520 go into a message"]],
    status: 1,
  },
  'many that are too large together': {
    run: `${SETUP} truncate -s 20000000 cat.png; ${feed(photos(...Array.from({ length: 4 }, () => ({ kind: 'image', path: 'cat.png' }))))} plumb-agent a.plumb`,
    errors: [['too_large', 'the media of this message are more than']],
    status: 1,
  },
  'a text that reads like an image is a text': {
    run: `${SETUP} ${feed(
      JSON.stringify(JSON.stringify({ kind: 'image', path: 'cat.png' })),
      '{"kind":"image","path":"cat.png"}',
    )} plumb-agent one.plumb`,
    out: /^"[^[]*"\n"[^[]* \[image, image\/png, 70 bytes\]"\n$/,
  },
  'a type that is not of the module makes nothing be read': {
    run: `${SETUP} ${feed('{"kind":"image","path":"/etc/passwd"}')} plumb-agent own.plumb`,
    out: /^"[^[]*"\n$/,
  },
  'files that go with each input': {
    run: `${SETUP} printf '%s\\n' 'I am sad' 'I am sad' | plumb-agent -Rr --attach cat.png --attach doc.pdf plain.plumb`,
    out: /^I AM SORRY.* \[image, image\/png, 70 bytes\] \[document 'doc.pdf', application\/pdf, 21 bytes\]\n.* \[document .*\]\n$/,
  },
  'a file that cannot be attached': {
    run: 'printf "\\1\\0" > odd; plumb-agent --attach odd plain.plumb < /dev/null; plumb-agent --attach nowhere plain.plumb < /dev/null',
    errors: [
      ['config_invalid', "--attach names 'odd': 'odd' is not one of image/png"],
      ['file_not_found', "--attach names 'nowhere': no such file"],
    ],
    status: 2,
  },
  'what was remembered can be set again': {
    run: `${SETUP} ${feed(
      '{"kind":"image","path":"cat.png","title":"a cat"}',
      '{"__port":"ctrl_in","msg":{"get_memory":true}}',
    )} plumb-agent one.plumb 7>memory; cat memory`,
    out: /"content":\[{"type":"image","title":"a cat","media_type":"image\/png","data":"iVBOR/,
  },
})

const CONTENT = [
  { type: 'text', text: '{"photo":' },
  { type: 'image', media_type: 'image/png', data: PNG, title: 'a cat' },
  { type: 'text', text: ',"more":' },
  { type: 'image', url: 'https://example.org/a.png' },
  { type: 'document', media_type: 'application/pdf', data: 'JVBERi0=', title: 'bill.pdf' },
  { type: 'document', media_type: 'text/plain', text: 'Bring milk.', title: 'notes.txt' },
]
const URL_DOCUMENT = { type: 'document', url: 'https://example.org/b.pdf', title: 'b' }
const WAV = { type: 'audio', media_type: 'audio/wav', data: 'UklGRg==' }
const DATA_URL = `data:image/png;base64,${PNG}`

const ASKED = {
  anthropic: [
    { type: 'text', text: '{"photo":' },
    { type: 'text', text: 'a cat:' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
    { type: 'text', text: ',"more":' },
    { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' }, title: 'bill.pdf' },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Bring milk.' }, title: 'notes.txt' },
    { type: 'document', source: { type: 'url', url: 'https://example.org/b.pdf' }, title: 'b' },
  ],
  chat: [
    { type: 'text', text: '{"photo":' },
    { type: 'text', text: 'a cat:' },
    { type: 'image_url', image_url: { url: DATA_URL } },
    { type: 'text', text: ',"more":' },
    { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
    { type: 'file', file: { filename: 'bill.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
    { type: 'text', text: '<resource uri="notes.txt" type="text/plain">\nBring milk.\n</resource>' },
    { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
  ],
  responses: [
    { type: 'input_text', text: '{"photo":' },
    { type: 'input_text', text: 'a cat:' },
    { type: 'input_image', detail: 'auto', image_url: DATA_URL },
    { type: 'input_text', text: ',"more":' },
    { type: 'input_image', detail: 'auto', image_url: 'https://example.org/a.png' },
    { type: 'input_file', filename: 'bill.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
    { type: 'input_text', text: '<resource uri="notes.txt" type="text/plain">\nBring milk.\n</resource>' },
    { type: 'input_file', file_url: 'https://example.org/b.pdf' },
  ],
}

for (const wire of ['anthropic', 'chat', 'responses'] as const) {
  t.test(`media as ${wire} takes them`, async (t) => {
    const { url, received } = await openStub(t, [json({}, 400)])
    const isAnthropic = wire === 'anthropic'
    const { ask } = openClient(t, isAnthropic ? 'anthropic' : 'openai', url, isAnthropic ? {} : { wire })
    const askWith = (block: object) => ask({ turn: [{ role: 'user', content: JSON.parse(JSON.stringify([...CONTENT, block])) }] })
    const [taken, refused] = wire === 'chat' ? [WAV, URL_DOCUMENT] : [URL_DOCUMENT, WAV]
    t.match(await askWith(refused), { ok: false, error: { error: 'unsupported_media', category: 'invalid' } })
    t.equal(received.length, 0, 'before anything is asked')
    t.match(await askWith(taken), { ok: false, error: { error: 'provider_refused' } })
    const { messages, input } = received[0]?.body ?? {}
    t.strictSame((messages ?? input).at(-1).content, ASKED[wire])
  })
}

t.test('media count as what providers make of them at most, and not by their bytes', async (t) => {
  const data = 'A'.repeat(1_000_000)
  const text = { type: 'text', text: 'what is it?' }
  const size = (media: object, model = 'gpt-5') => mediaSizeOf({ model, messages: [{ role: 'user', content: [text, media] }] }, model)
  const url = `data:image/png;base64,${data}`
  t.strictSame(size({ type: 'image', source: { type: 'base64', data } }), { tokens: 9_000, bytes: data.length, fillsWindow: false })
  t.strictSame(size({ type: 'image_url', image_url: { url } }), { tokens: 12_000, bytes: url.length, fillsWindow: false })
  t.equal(size({ type: 'input_image', image_url: url }, 'gpt-4o-mini').tokens, 50_000)
  t.equal(size({ type: 'input_audio', input_audio: { data, format: 'mp3' } }).tokens, 31_250)
  t.strictSame(size({ type: 'document', source: { type: 'url', url: 'https://a/b.pdf' } }).fillsWindow, true)
  t.strictSame(size({ type: 'document', source: { type: 'text', data } }), { tokens: 0, bytes: 0, fillsWindow: false }, 'text is text')
  t.ok(size({ type: 'file', file: { file_data: data } }).fillsWindow)
})

const REFUSALS: readonly [number, string][] = [
  [500, 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj'],
  [500, 'audio input is not supported - hint: if this is unexpected, you may need to provide the mmproj'],
  [500, 'image input is not supported by this server'],
  [400, 'unsupported content[].type'],
  [400, 'this model does not support image input (ref: 1)'],
  [500, 'this model is missing data required for image input'],
  [400, 'Invalid content type. image_url is only supported by certain models.'],
  [400, 'At most 0 image(s) may be provided in one prompt.'],
  [400, 'm is not a multimodal model'],
  [404, 'No endpoints found that support image input'],
]

t.test('what a model does not take is said once, and is about this input alone', async (t) => {
  const image = { role: 'user', content: [{ type: 'image', media_type: 'image/png', data: PNG }] }
  for (const [status, message] of REFUSALS) {
    const { url, received } = await openStub(t, [json({ error: { code: status, message, type: 'server_error' } }, status)])
    const { ask } = openClient(t, 'openai', url, { wire: 'chat' })
    const answer = await ask({ turn: [image] })
    t.match(
      answer,
      { ok: false, error: { error: 'unsupported_media', category: 'invalid', detail: /take a model that does/, status } },
      message,
    )
    t.notOk('refusal' in answer, 'other inputs are still asked')
    t.equal(received.length, 1, 'it is not tried again')
  }
})

t.test('other failures of a request with media, and the same words without any, mean what they meant', async (t) => {
  const image = { role: 'user', content: [{ type: 'image', media_type: 'image/png', data: PNG }] }
  const cases: [object, number, string, string, number][] = [
    [{ turn: [image] }, 500, 'slot unavailable', 'overloaded', 2],
    [{}, 500, 'image input is not supported', 'overloaded', 2],
    [{ turn: [image] }, 401, 'image input is not supported for this key', 'unauthorized', 1],
    [{ turn: [{ role: 'user', content: '{"type":"image"} why?' }] }, 500, 'image input is not supported', 'overloaded', 2],
  ]
  for (const [question, status, message, error, times] of cases) {
    const { url, received } = await openStub(t, [json({ error: { message } }, status)])
    const { ask } = openClient(t, 'openai', url, { wire: 'chat', transport_retries: 1 })
    t.match(await ask(question), { ok: false, error: { error } }, message)
    t.equal(received.length, times)
  }
})
