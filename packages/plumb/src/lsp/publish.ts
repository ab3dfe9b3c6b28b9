// Pushes diagnostics to the editor, file by file: those of every open document and of the modules that they use; an empty list clears a
// file.

import type { Diagnostic } from '@plumb/lang'
import type * as protocol from 'vscode-languageserver-protocol/node'
import type { Document, Documents } from './documents.js'
import { rangeOf } from './position.js'

export class Publisher {
  /** The diagnostics that the editor has, by URI. */
  readonly #shown = new Map<string, string>()

  constructor(
    private readonly documents: Documents,
    /** Further diagnostics of a document. */
    private readonly more: (document: Document) => readonly protocol.Diagnostic[],
    private readonly send: (params: protocol.PublishDiagnosticsParams) => void,
  ) {}

  publish(): void {
    const found = this.#found()
    for (const uri of this.#shown.keys()) if (!found.has(uri)) found.set(uri, new Map())
    for (const [uri, diagnostics] of found) {
      const list = [...diagnostics.values()]
      const text = JSON.stringify(list)
      if ((this.#shown.get(uri) ?? '[]') === text) continue
      if (list.length === 0) this.#shown.delete(uri)
      else this.#shown.set(uri, text)
      const version = this.documents.get(uri)?.version
      this.send({ uri, diagnostics: list, ...(version === undefined ? {} : { version }) })
    }
  }

  // Two documents that use one module find the same errors in it.
  #found(): Map<string, Map<string, protocol.Diagnostic>> {
    const found = new Map<string, Map<string, protocol.Diagnostic>>()
    for (const document of this.documents.all) {
      for (const d of this.documents.compiled(document).diagnostics) {
        const uri = this.documents.uriOf(d.span.source.path)
        if (uri === undefined) continue
        const shown = toProtocol(d, this.documents)
        const list = found.get(uri) ?? new Map()
        found.set(uri, list.set(JSON.stringify(shown), shown))
      }
      const more = this.more(document)
      if (more.length === 0) continue
      const list = found.get(document.uri) ?? new Map()
      found.set(document.uri, list)
      for (const shown of more) list.set(JSON.stringify(shown), shown)
    }
    return found
  }
}

/** A request that comes together with a change, such as one for completions, is answered before the change is checked. */
const QUIET_MS = 4
/** What has been read arrives through the protocol's library within so many turns of the event loop. */
const QUIET_TURNS = 3
/** Of changes in quick succession only the last is checked; after this time the next is no longer waited for. */
const PUBLISH_DELAY_MS = 500

/** When to publish: once the editor is quiet. */
export class PublishTimer {
  readonly #publish: () => void
  readonly #onError: (error: unknown) => void
  #timer: NodeJS.Timeout | undefined
  #turn: NodeJS.Immediate | undefined
  #changedAt = 0
  #hasEnded = false

  constructor(publish: () => void, onError: (error: unknown) => void) {
    this.#publish = publish
    this.#onError = onError
  }

  soon(): void {
    const now = performance.now()
    if (this.#timer === undefined) this.#changedAt = now
    else if (now - this.#changedAt >= PUBLISH_DELAY_MS) return
    this.stop()
    this.#timer = setTimeout(() => this.#after(QUIET_TURNS), QUIET_MS)
  }

  // The library guards requests in the same way: a bug in the compiler is reported, and does not end the session.
  now(): void {
    try {
      this.#publish()
    } catch (error) {
      this.#onError(error)
    }
  }

  stop(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#turn)
  }

  /** What is due is not published any more. */
  end(): void {
    this.#hasEnded = true
  }

  #after(turns: number): void {
    this.#turn = setImmediate(() => {
      if (turns > 0) return this.#after(turns - 1)
      this.#timer = undefined
      if (!this.#hasEnded) this.now()
    })
  }
}

/** The help is below the message: the protocol has no other field for it. */
export const toProtocol = (
  { severity, code, message, span, help, related = [], path = [] }: Diagnostic,
  documents: Documents,
): protocol.Diagnostic => {
  const others = [...related, ...path].flatMap((r) => {
    const uri = documents.uriOf(r.span.source.path)
    return uri === undefined ? [] : [{ location: { uri, range: rangeOf(r.span.source.text, r.span) }, message: r.message }]
  })
  return {
    range: rangeOf(span.source.text, span),
    severity: severity === 'error' ? ERROR : WARNING,
    source: 'plumb',
    code,
    message: help === undefined ? message : `${message}\n${help}`,
    ...(code === 'unused_binding' ? { tags: [UNNECESSARY] } : {}),
    ...(others.length > 0 ? { relatedInformation: others } : {}),
  }
}

// The protocol's numbers, so that its library is not loaded for them.
const ERROR: protocol.DiagnosticSeverity = 1
const WARNING: protocol.DiagnosticSeverity = 2
const UNNECESSARY: protocol.DiagnosticTag = 1
