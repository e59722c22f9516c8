import '../convert/entry.ts'
import { adoptStyles } from '../../shell/styles.ts'
import { addFiles } from '../convert/add-files.ts'
import { chooseFiles } from '../convert/file-input.ts'
import { ItemList } from '../convert/file-list.tsx'
import type { ConversionItem } from '../convert/item.ts'
import { items } from '../convert/item-list.ts'
import rules from './batch.css'
import words from './words/en.ts'

adoptStyles(rules)

/** Converts files that come from folders, and keeps the folder structure up to the ZIP of all results. */
export default function Batch() {
  const files = items.value
  const inFolders = files.filter(({ folder }) => folder !== undefined).toSorted(compareByPath)
  document.documentElement.dataset['files'] = String(inFolders.length > 0)
  const otherCount = files.length - inFolders.length
  return (
    <>
      <section class="add" aria-labelledby="title">
        <h1 id="title">{words.title}</h1>
        <p class="lead">{words.lead}</p>
        <div class="drop">
          <span class="drop-mark" aria-hidden="true" />
          <p class="drop-words">{words.drop}</p>
          <button
            type="button"
            class="button primary"
            onClick={() => void chooseFiles({ folder: true }).then(addFiles)}
          >
            {words.choose}
          </button>
        </div>
      </section>
      <div class="work">
        {inFolders.length > 0 ? <FolderTree files={inFolders} /> : <HowTo />}
        <ItemList items={inFolders} zip={getZipName(inFolders)} />
        {otherCount > 0 && (
          <p class="hint">
            {words.others(otherCount)} <a href="/">{words.toOthers}</a>
          </p>
        )}
      </div>
    </>
  )
}

const HowTo = () => (
  <section aria-labelledby="how-title">
    <h2 id="how-title">{words.howTo}</h2>
    <ol class="steps">
      {words.steps.map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
  </section>
)

/** Lists all folders, with the number of converted files in each. */
function FolderTree({ files }: { readonly files: readonly ConversionItem[] }) {
  const folders = [...Map.groupBy(files, ({ folder }) => folder ?? '')]
  return (
    <details class="tree">
      <summary>{words.inFolders(files.length, folders.length)}</summary>
      <ul aria-label={words.tree}>
        {folders.map(([folder, files]) => (
          <li key={folder}>
            <bdi>{folder}</bdi>
            <span class="hint">
              {words.count(files.filter(({ phase }) => phase.value === 'done').length, files.length)}
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}

const getPath = ({ folder, name }: ConversionItem) => `${folder}/${name}`
const compareByPath = (a: ConversionItem, b: ConversionItem) => getPath(a).localeCompare(getPath(b))

/** Returns the name of the ZIP: that of the top folder, or a generic name if there are several top folders. */
function getZipName(files: readonly ConversionItem[]): string {
  const topFolders = new Set(files.map(({ folder }) => folder?.split('/')[0]))
  return topFolders.size === 1 ? `${[...topFolders][0]}.zip` : 'results.zip'
}
