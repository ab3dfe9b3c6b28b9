// Checks the parameters of requests and notifications before they are used: an editor may send anything.

import { isRecord } from '@plumb/wire'
import type { Position, Range } from 'vscode-languageserver-protocol/node'

export interface DocumentParams {
  readonly textDocument: { readonly uri: string }
}
export interface PositionParams extends DocumentParams {
  readonly position: Position
}

export const hasDocument = (params: unknown): params is DocumentParams =>
  isRecord(params) && isRecord(params.textDocument) && typeof params.textDocument.uri === 'string'

export const hasPosition = (params: unknown): params is PositionParams =>
  hasDocument(params) && 'position' in params && isPosition(params.position)

export const isRename = (params: unknown): params is PositionParams & { readonly newName: string } =>
  hasPosition(params) && 'newName' in params && typeof params.newName === 'string'

export const hasRange = (params: unknown): params is DocumentParams & { readonly range: Range } =>
  hasDocument(params) && 'range' in params && isRecord(params.range) && isPosition(params.range.start) && isPosition(params.range.end)

export const isQuery = (params: unknown): params is { readonly query: string } => isRecord(params) && typeof params.query === 'string'

export const isDidOpen = (
  params: unknown,
): params is { readonly textDocument: { readonly uri: string; readonly text: string; readonly version: number } } =>
  isVersioned(params) && 'text' in params.textDocument && typeof params.textDocument.text === 'string'

/** The last change holds the whole text: the server has asked for no other kind. */
export const isDidChange = (
  params: unknown,
): params is {
  readonly textDocument: { readonly uri: string; readonly version: number }
  readonly contentChanges: readonly { readonly text: string }[]
} => isVersioned(params) && 'contentChanges' in params && Array.isArray(params.contentChanges) && params.contentChanges.every(isWholeText)

export const isCommand = (params: unknown): params is { readonly command: string; readonly arguments?: readonly unknown[] } =>
  isRecord(params) && typeof params.command === 'string' && (params.arguments === undefined || Array.isArray(params.arguments))

const isVersioned = (params: unknown): params is { readonly textDocument: { readonly uri: string; readonly version: number } } =>
  hasDocument(params) && 'version' in params.textDocument && typeof params.textDocument.version === 'number'

const isWholeText = (change: unknown): boolean => isRecord(change) && typeof change.text === 'string' && change.range === undefined

const isPosition = (value: unknown): value is Position => isRecord(value) && isIndex(value.line) && isIndex(value.character)

const isIndex = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0
