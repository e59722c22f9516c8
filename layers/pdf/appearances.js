// mutool run appearances.js <source> <target>: draws form fields that have a value but no picture of it.
// Viewers draw these themselves; tools that make them page content would lose them.
// biome-ignore-all lint/suspicious/noVar: mutool's interpreter knows ES5.
// biome-ignore-all lint/correctness/noInnerDeclarations: mutool's interpreter knows ES5.
// biome-ignore-all lint/complexity/useArrowFunction: mutool's interpreter knows ES5.

var documentOf = new PDFDocument(scriptArgs[0])

function widgetObjects(page) {
  var annotations = documentOf.findPage(page).get('Annots')
  var widgets = []
  if (!annotations) return widgets
  for (var index = 0; index < annotations.length; index++) {
    var annotation = annotations[index]
    if (String(annotation.get('Subtype')) === '/Widget') widgets.push(annotation)
  }
  return widgets
}

function draw(widget) {
  if (widget.getFieldType() !== 'text') return
  var value = widget.getValue()
  if (!value) return
  // Only a change makes it draw.
  widget.setTextValue(value.concat(' '))
  widget.setTextValue(value)
  widget.update()
}

var form = documentOf.getTrailer().get('Root').get('AcroForm')
var stale = form && String(form.get('NeedAppearances')) === 'true'
for (var number = 0; number < documentOf.countPages(); number++) {
  var page = documentOf.loadPage(number)
  var objects = widgetObjects(number)
  page.getWidgets().forEach(function (widget, index) {
    if (stale || !objects[index] || !objects[index].get('AP')) draw(widget)
  })
  page.update()
}
documentOf.save(scriptArgs[1], 'compress')
