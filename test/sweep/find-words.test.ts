import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { scratchFolder } from '../support/scratch-folder.ts'
import { findLostWords, readText } from './known-documents/find-words.ts'

const folder = scratchFolder('find-words')
const run = (bin: string, ...args: string[]) => execFileSync(bin, args, { encoding: 'utf8' })

function findLostWordsIn(format: 'md' | 'rtf', content: string, ...words: string[]): string[] {
  const path = join(folder, `known.${format}`)
  writeFileSync(path, content)
  return findLostWords(words, readText(run, path, format))
}

test('known words in an HTML table of a Markdown file are found', () => {
  const markdown = 'mika0\n\n<table>\n<tr><th><blockquote>\n<p>lovo1</p>\n</blockquote></th></tr>\n</table>\n'
  assert.deepEqual(findLostWordsIn('md', markdown, 'mika0', 'lovo1', 'ruka2'), ['ruka2'])
})

test('known words in RTF are found whatever number of bytes follows each escaped character', () => {
  const rtf = String.raw`{\rtf1 s\u233\'3fn0 {\uc2 \u1085\'84\'7e\u1086\'84~lo1} t\u252 ?r2 \uc0\u1076 a3 \'e9\~4}`
  assert.deepEqual(findLostWordsIn('rtf', rtf, 'sén0', 'ноlo1', 'tür2', 'дa3', 'é4', 'ka5'), ['ka5'])
})
