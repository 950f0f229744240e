// What tests ask of a page with panes and windows, and do to it.

export const bodyText = (page) => page.evaluate(() => document.body.innerText);

/** The panes in view, in the host's order of ids: text, title, label, focus, and where their cells are. */
export const shownPanes = (page) =>
  page.evaluate(() => {
    const frames = [...document.querySelectorAll('.frame:not(.coming):not([hidden])')];
    return frames
      .filter((frame) => frame.querySelector('.xterm-rows'))
      .map((frame) => ({
        text: Array.from(frame.querySelectorAll('.xterm-rows > div'), (row) => row.textContent.replace(/\u00a0/g, ' ').trimEnd()).join('\n').trim(),
        title: frame.querySelector('.pane-title .name').textContent,
        label: frame.getAttribute('aria-label'),
        focused: frame.classList.contains('focused'),
        font: getComputedStyle(frame.querySelector('.xterm-rows')).fontSize,
        screen: frame.querySelector('.xterm-screen').getBoundingClientRect().toJSON(),
      }));
  });

/** Text of the nth pane in view. */
export const paneText = async (page, at) => (await shownPanes(page))[at]?.text ?? '';

export const boxOf = (page, selector) => page.evaluate((one) => document.querySelector(one).getBoundingClientRect().toJSON(), selector);

/** The tabs: name, "*" for the one in view, then its marks' words. */
export const tabNames = (page) =>
  page.evaluate(() =>
    Array.from(document.querySelectorAll('.tab'), (tab) => {
      const viewed = tab.getAttribute('aria-selected') === 'true' ? '*' : '';
      return tab.querySelector('.name').textContent + viewed + tab.querySelector('.marks').textContent;
    }),
  );

/** Presses a button by its selector, as a script would: no pointer is moved. */
export const tick = (page, selector) => page.evaluate((one) => document.querySelector(one).click(), selector);

/** Opens the menu of panes and windows and presses an item. */
export async function menuItem(page, text) {
  await page.click('.pane-menu-button');
  const found = await page.evaluate((wanted) => {
    const item = [...document.querySelectorAll('.popup .item')].find((one) => one.firstChild.textContent === wanted);
    item?.click();
    return item !== undefined;
  }, text);
  if (!found) throw new Error(`no "${text}" in the menu`);
}

/** Drags an element's middle by so many pixels, in ten steps. */
export async function dragBy(page, selector, dx, dy) {
  const { left, top, width, height } = await boxOf(page, selector);
  const [x, y] = [left + width / 2, top + height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 1; i <= 10; i++) await page.mouse.move(x + (dx * i) / 10, y + (dy * i) / 10);
  await page.mouse.up();
}
