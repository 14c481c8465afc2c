/** Scenarios and lessons that the page can open by name. */
import { LESSONS } from "./lessons";
import { library, START } from "./library";
import { allDisciplines, edit, read, resolve, withDiscipline } from "./scenario";

export interface Entry {
  text: string;
  /** The variable of the second plot. */
  inner: string | undefined;
}

/** `lesson/ID`, `template/NAME`, `scenario/NAME`, `start`, or `queue/DISCIPLINE`: the start beside that discipline. */
export function entry(id: string): Entry | undefined {
  const [kind, name = ""] = id.split("/");
  if (kind === "lesson") {
    const lesson = LESSONS.find((one) => one.id === name);
    return lesson && { text: lesson.scenario, inner: lesson.inner };
  }
  if (kind === "queue") {
    const discipline = allDisciplines().get(name);
    if (!discipline) return undefined;
    const text = withDiscipline(START, resolve(START, "b"), name);
    const title = read(START).title.replace(/beside .*/, `beside ${discipline.title}`);
    return { text: edit(text, "title", JSON.stringify(title)), inner: undefined };
  }
  const choice = library().flatMap((part) => part.choices).find((one) => one.id === id);
  return choice && { text: choice.text, inner: undefined };
}
