import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { getResultBytes, type Job } from '../../api.ts'
import { Lazy } from '../../shell/lazy.tsx'
import { keyShortcut } from '../../shell/shortcuts.ts'
import { listEngines } from '../../ui/engine-names.ts'
import { WarningText } from '../../ui/warning-text.tsx'
import { convertAgain } from './add-items.ts'
import { ForFile, Icon, Notice } from './components.tsx'
import FidelityLines from './fidelity-lines.tsx'
import { chooseFile } from './file-input.ts'
import { describeSizeChange, formatExpiry, formatFileSize } from './format-text.ts'
import type { ConversionItem } from './item.ts'
import { openedItem } from './item-list.ts'
import { deleteItem } from './remove-items.ts'
import words from './words/en.ts'

type JobResult = NonNullable<Job['result']>

/** The result of an item: download, comparison with the source, and warnings. */
export function ItemResult({
  item,
  job,
  result,
}: {
  readonly item: ConversionItem
  readonly job: Job
  readonly result: JobResult
}) {
  const engine = listEngines(result.engine ? [result.engine] : [])
  const isStreamCopy = result.method === 'stream-copy'
  return (
    <div class="done">
      <div class="outcome">
        <p class="outcome-words">
          <Icon name="check" />
          <bdi class="outcome-name">{result.filename}</bdi>
        </p>
        <Sizes job={job} result={result} />
      </div>
      <FidelityLines fidelity={result.fidelity} target={job.target?.format} />
      {result.files.length > 1 && (
        <ul class="files">
          {result.files.map(({ downloadUrl, filename, size }) => (
            <li key={downloadUrl}>
              <Download url={downloadUrl} filename={filename}>
                <bdi>{filename}</bdi>
              </Download>{' '}
              {formatFileSize(size)}
            </li>
          ))}
        </ul>
      )}
      {job.warnings.length > 0 && (
        <ul class="warnings" aria-label={words.warnings}>
          {job.warnings.map((warning) => (
            <li key={warning.message} data-code={warning.code}>
              <Icon name="warning" />
              <WarningText warning={warning} />
            </li>
          ))}
        </ul>
      )}
      <Notice text={item.notice.value} />
      <div class="actions">
        <Download url={result.downloadUrl} filename={result.filename} isMain>
          <Icon name="download" />
          {words.download}
          <ForFile>{result.filename}</ForFile>
        </Download>
        {openedItem.value !== item && (
          <button type="button" class="button" onClick={() => (openedItem.value = item)}>
            {words.preview}
            <ForFile>{result.filename}</ForFile>
          </button>
        )}
        <button type="button" class="button" onClick={() => convertAgain(item)}>
          {words.again}
          <ForFile>{item.name}</ForFile>
        </button>
        <button
          type="button"
          class="button quiet"
          title={words.deleteTitle}
          onClick={() => void deleteItem(item)}
        >
          {words.delete}
          <ForFile>{result.filename}</ForFile>
        </button>
        <div class="hint note">
          {isStreamCopy && <p>{words.copiedWith(engine)}</p>}
          {!isStreamCopy && engine !== '' && openedItem.value === item && (
            <p>{words.convertedWith(engine)}</p>
          )}
          <p>{words.availableUntil(formatExpiry(job.expiresAt))}</p>
        </div>
      </div>
      <MoreActions item={item} job={job} result={result} />
    </div>
  )
}

const loadResultActions = () => import('./result-actions.tsx')

function MoreActions({
  item,
  job,
  result,
}: {
  readonly item: ConversionItem
  readonly job: Job
  readonly result: JobResult
}) {
  const isOpen = useSignal(false)
  return (
    <details
      class="more-actions"
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open
      }}
    >
      <summary>
        {words.shareAndMore}
        <ForFile>{result.filename}</ForFile>
      </summary>
      {isOpen.value && (
        <Lazy
          load={loadResultActions}
          item={item}
          job={job}
          url={result.downloadUrl}
          filename={result.filename}
        />
      )}
    </details>
  )
}

function Download(props: {
  readonly url: string
  readonly filename: string
  readonly isMain?: boolean
  readonly children: ComponentChildren
}) {
  return (
    <a
      href={props.url}
      download={props.filename}
      {...(props.isMain && { class: 'button primary', 'data-primary': true, ...keyShortcut('d') })}
    >
      {props.children}
    </a>
  )
}

function Sizes({ job, result }: { readonly job: Job; readonly result: JobResult }) {
  const bytesAfter = getResultBytes(result)
  const bytesBefore = job.source?.size
  if (bytesBefore === undefined)
    return (
      <p class="sizes">
        <strong>{formatFileSize(bytesAfter)}</strong>
      </p>
    )
  return (
    <p class="sizes">
      <span class="visually-hidden">{words.before} </span>
      <bdi>{formatFileSize(bytesBefore)}</bdi> <Icon name="arrow" />
      <span class="visually-hidden">, {words.after} </span>
      <strong>
        <bdi>{formatFileSize(bytesAfter)}</bdi>
      </strong>
      <span class="change">{describeSizeChange(bytesBefore, bytesAfter)}</span>
    </p>
  )
}

/**
 * Shown for a job from an earlier visit that has no result. The page no longer has the file, so the user must choose it
 * again.
 */
export function LostItem({ item }: { readonly item: ConversionItem }) {
  const target = item.job.value?.target?.format
  return (
    <div class="stranded">
      <Notice text={item.notice.value} />
      {target && <p class="hint">{words.targetWas(target.toUpperCase())}</p>}
      <div class="actions">
        <button
          type="button"
          class="button"
          data-primary
          onClick={() => {
            void chooseFile().then((file) => file && convertAgain(item, file))
          }}
        >
          {words.chooseAgain}
        </button>
        <button type="button" class="button quiet" onClick={() => void deleteItem(item)}>
          {words.delete}
        </button>
      </div>
    </div>
  )
}
