import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Later } from '../../shell/lazy.tsx'
import type { Whereabouts } from '../../shell/router.ts'
import { take, takeAddress } from './add-files.ts'
import { linked } from './add-items.ts'
import { WayIn } from './drop-zone.tsx'
import { Files } from './file-list.tsx'
import { chooseFiles } from './file-input.ts'
import { Kinds } from './supported-formats.tsx'
import { choiceIn } from './preset-links.ts'
import { items } from './item-list.ts'
import { isThere } from './restore-list.ts'
import { nameOfTool } from './file-tools.ts'
import words from './words/en.ts'

const drives = () => import('./drives/drive-buttons.tsx')
const driveDialog = () => import('./drives/drive-dialog.tsx')

export default function Convert({ at }: { readonly at: Whereabouts }) {
  /** Other ways in are few people's. */
  const isLooking = useSignal(false)
  useEffect(() => {
    linked.value = choiceIn(at.query) ?? linked.value
  }, [at])
  const all = items.value
  document.documentElement.dataset['files'] = String(all.length > 0)
  return (
    <>
      <WayIn
        onFolder={() => void chooseFiles({ folder: true }).then(take)}
        onAddress={takeAddress}
        onWays={() => {
          isLooking.value = true
        }}
      >
        {isLooking.value && <Later load={drives} />}
      </WayIn>
      {at.query.has('drive') && <Later load={driveDialog} query={at.query} />}
      <div class="work">
        {linked.value && <Linked />}
        <Files all={all} />
        {isThere.value && <Kinds />}
        {isThere.value && (
          <section aria-labelledby="terminal-title">
            <h2 id="terminal-title">{words.terminal}</h2>
            <pre class="terminal" dir="ltr">
              <code>
                {`curl -LOJ -H 'Prefer: wait=25' -F file=@photo.jpg -F targetFormat=webp \\\n  '${location.origin}/v1/convert?redirect=true'`}
              </code>
            </pre>
          </section>
        )}
      </div>
    </>
  )
}

/** What a link asks of files that are not there yet. */
function Linked() {
  const { to = '', tool, values } = linked.value ?? { values: {} }
  const options = Object.entries(values).map(([name, value]) => `${name} ${value}`)
  return (
    <p class="notice linked">
      <span>
        {tool ? words.linkedTool(nameOfTool(tool)) : words.linkedTo(to.toUpperCase())}{' '}
        {options.length > 0 && <bdi>({options.join(', ')})</bdi>}
      </span>
      <button
        type="button"
        class="link"
        onClick={() => {
          linked.value = undefined
          history.replaceState(null, '', '/')
        }}
      >
        {words.forgetLink}
      </button>
    </p>
  )
}
