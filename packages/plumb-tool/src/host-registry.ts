// Tools by name, for embedding programs: their own, or those of a spec.

import { resolve } from 'node:path'
import { compile, errorsOf, givenTexts, hasErrors, type Json, STANDARD_LIBRARY, toolsOf, toText } from '@plumb/lang'
import { withFlows } from '@plumb/policy'
import { diskFiles, fail, nearest, preview, type Result, readGivenValues, searchPath, succeed, withParams, withText } from '@plumb/wire'
import type { Session } from './call/call.js'
import type { Tool } from './call/tool.js'
import { callTool, type HostCall, makeSession } from './host.js'
import { openRegistry } from './registry/registry.js'
import { loadFunctions } from './source/function/load-functions.js'

/** The path of a spec, or its text; paths in a text are relative to `path`, by default the working directory. */
export type SpecSource = string | { readonly source: string; readonly path?: string }

export interface RegistryOptions {
  /** Below what its tools may work, who is asked …; default: that of `makeSession`. */
  readonly session?: Partial<Session>
}

/** Tools by name: those of a program, or of a spec with all their stages. */
export class Registry {
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #session: Session

  private constructor(tools: ReadonlyMap<string, Tool>, session: Session) {
    this.#tools = tools
    this.#session = session
  }

  /** Two tools of one name are an error. */
  static of(tools: Iterable<Tool>, { session = {} }: RegistryOptions = {}): Result<Registry> {
    const byName = new Map<string, Tool>()
    for (const tool of tools) {
      if (byName.has(tool.name)) return fail('duplicate_name', `two tools are named '${preview(tool.name)}'`)
      byName.set(tool.name, tool)
    }
    return succeed(new Registry(byName, makeSession(session)))
  }

  /** The tools of a spec, with all their stages. Its errors are one, with every diagnostic in `detail`. */
  static async open(spec: SpecSource, { session = {} }: RegistryOptions = {}): Promise<Result<Registry>> {
    const disk = diskFiles(searchPath(), STANDARD_LIBRARY)
    const { path, source } = typeof spec === 'string' ? { path: spec, source: undefined } : { path: resolve('spec.plumb'), ...spec }
    const text = source === undefined ? disk.read(path) : succeed(source)
    if (!text.ok) return text
    const given = readGivenValues({})
    if (!given.ok) return given
    const { program, diagnostics, params, faults } = await withFlows(
      compile({ path, text: text.value, files: disk, given: given.value }),
      {},
    )
    if (hasErrors(diagnostics)) return fail('spec_invalid', errorsOf(diagnostics).map(toText).join('\n'))
    const files = withParams(withText(disk, path, text.value), givenTexts(params))
    const own = makeSession({ files, ...session })
    const functions = await loadFunctions(toolsOf(program), own)
    const opened = openRegistry(functions.plans, own.docroot)
    const [fault] = [...faults, ...opened.faults, ...functions.faults]
    if (fault) return { ok: false, error: fault }
    return succeed(new Registry(new Map(opened.registry.list().map(({ plan, tool }) => [plan.name, tool])), own))
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name)
  }

  list(): readonly Tool[] {
    return [...this.#tools.values()]
  }

  async call(name: string, input: Json, how: HostCall = {}): Promise<Result<Json>> {
    const tool = this.#tools.get(name)
    if (tool) return callTool(tool, input, { session: this.#session, ...how })
    const near = nearest(name, this.#tools.keys())
    const hint = near === undefined ? '' : `, did you mean '${near}'?`
    return fail('unknown_tool', `no tool is named '${preview(name)}'${hint}`)
  }

  /** Ends what its tools have started. */
  close(): Promise<void> {
    return this.#session.servers.close()
  }
}
