// The files that a prompt file refers to: imports, and the prompts, programs and servers of its tools.

import { dirname, resolve } from 'node:path'
import { readSpec } from '@plumb/wire'
import { type ChatElement, type ChatNode, parseChatmd } from './chatmd-parser.js'
import type { PromptFile } from './prompt.js'
import { type PromptTool, readPromptTool } from './prompt-tool.js'
import { readPromptFile } from './read-prompt-file.js'

export interface PromptReferences {
  /** Absolute paths. */
  readonly files: readonly string[]
  /** Read by the agent, under its own rules. */
  readonly images: readonly string[]
  readonly agentFiles: readonly string[]
  readonly lines: readonly string[]
  readonly commands: readonly (readonly string[])[]
  readonly builtins: readonly string[]
  /** False if the limit of files was reached. */
  readonly isWhole: boolean
}

const MAX_FILES = 2000

/** Never fails: of a file with errors, as much as can be parsed. */
export const readPromptReferences = (file: string): PromptReferences => {
  const files = new Set([file])
  const images = new Set<string>()
  const tools: PromptTool[] = []
  for (const path of files) {
    const text = path.toLowerCase().endsWith('.chatmd') && files.size < MAX_FILES ? readSpec(path) : undefined
    const nodes = text?.ok ? parseChatmd(text.value) : undefined
    for (const { name, attributes } of nodes?.ok ? elementsIn(nodes.value) : []) {
      const tool = name === 'tool' ? readPromptTool(attributes) : undefined
      if (tool?.ok) tools.push(tool.value)
      const { src } = attributes
      const named = typeof src === 'string' && src !== '' ? [resolve(dirname(path), src), resolve(src)] : []
      for (const found of named) (name === 'img' ? images : files).add(found)
    }
  }
  const markdown = file.toLowerCase().endsWith('.md') ? readPromptFile(file) : undefined
  if (markdown?.ok) tools.push(...markdown.value.tools)
  // Front matter may have the keys of an agent.
  const { prompts, mcp }: PromptFile['config'] = markdown?.ok ? markdown.value.config : {}
  const servers = [...(Array.isArray(mcp) ? mcp : []), ...tools.flatMap((tool) => (tool.kind === 'server' ? [tool.server] : []))]
  return {
    files: [...files, ...texts(prompts).map((path) => resolve(dirname(file), path))],
    agentFiles: tools.flatMap((tool) => (tool.kind === 'agent' ? [resolve(dirname(file), tool.of)] : [])),
    lines: tools.flatMap((tool) => (tool.kind === 'command' ? [tool.of] : [])),
    commands: servers.map(wordsOfServer),
    images: [...images],
    isWhole: files.size < MAX_FILES,
    builtins: tools.flatMap((tool) => (tool.kind === 'builtin' ? [tool.of] : [])),
  }
}

const elementsIn = (nodes: readonly ChatNode[]): ChatElement[] =>
  nodes.flatMap((node) => (node.kind === 'text' ? [] : [node, ...elementsIn(node.children)]))

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [])

const wordsOfServer = (server: unknown): string[] => {
  const { command, args } = Object(server) as { readonly command?: unknown; readonly args?: unknown }
  return typeof command === 'string' ? [command, ...texts(args)] : []
}
