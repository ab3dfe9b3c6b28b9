// The effects of the built-in tools by all their names: data alone, for code that decides on calls without running them.

import { once } from '@plumb/wire/once'
import type { Effect } from './authority.js'

const effectsByName = once(
  (): Readonly<Record<string, readonly Effect[]>> => ({
    read_file: ['fs.read'],
    get_contents: ['fs.read'],
    read_directory: ['fs.read'],
    read_dir: ['fs.read'],
    grep: ['fs.read'],
    glob: ['fs.read'],
    import_image: ['fs.read'],
    markdown_search: ['fs.read'],
    code_search: ['fs.read'],
    query_vector_db: ['fs.read'],
    // An index is written beside the files that it covers.
    index_markdown_docs: ['fs.read', 'fs.write'],
    index_code: ['fs.read', 'fs.write'],
    index_ocaml_code: ['fs.read', 'fs.write'],
    // They read a file only to write it.
    apply_patch: ['fs.write'],
    write_file: ['fs.write'],
    append_to_file: ['fs.write'],
    find_and_replace: ['fs.write'],
    make_directory: ['fs.write'],
    delete_file: ['fs.write'],
    webpage_to_markdown: ['net'],
    http_get: ['net'],
    meta_refine: ['model'],
  }),
)

/** Empty for a name that is not a built-in tool; that error is reported elsewhere. */
export const builtinEffects = (name: string): readonly Effect[] =>
  Object.hasOwn(effectsByName(), name) ? (effectsByName()[name] ?? []) : []
