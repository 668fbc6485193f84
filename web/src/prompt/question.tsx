// Questions: one or several, each with options to choose one or some of, and room for own words.
import { useState } from "preact/hooks";
import type { Prompt, PromptChoice, PromptQuestion } from "../api/types";
import { answer } from "../store/answer";
import { exact } from "../ui/shown";
import { type Choice, answers, chosen, complete, none } from "./choice";
import { Answer } from "./guarded";

export function Question({ prompt }: { prompt: Prompt }) {
  const questions = prompt.questions ?? [];
  const [choices, set] = useState<Choice[]>(() => questions.map(() => none));
  const change = (place: number, choice: Choice) => set(choices.map((old, at) => (at === place ? choice : old)));
  const send = (all: Choice[], at: number) => void answer(prompt, { answers: answers(all) }, at);
  // One question with one answer needs no second tap.
  const [only] = questions;
  const quick = questions.length === 1 && only !== undefined && !only.several;
  return (
    <>
      {questions.map((question, place) => (
        <One
          key={place}
          question={question}
          choice={choices[place] ?? none}
          change={(choice) => change(place, choice)}
          choose={(choice, at) => {
            change(place, choice);
            if (quick && !choice.other && choice.options.length > 0) send([choice], at);
          }}
        />
      ))}
      {(!quick || choices[0]?.other) && (
        <div class="answers">
          <Answer class="button primary" disabled={!complete(choices)} give={(at) => send(choices, at)}>
            {questions.length > 1 ? "Send the answers" : "Send the answer"}
          </Answer>
        </div>
      )}
    </>
  );
}

/** What the dialog adds of its own, own words among it, is offered below. */
const isAnswer = (option: PromptChoice) => option.key !== "text" && option.key !== "chat";

type Props = {
  question: PromptQuestion;
  choice: Choice;
  change: (choice: Choice) => void;
  /** A tap at this instant has chosen. */
  choose: (choice: Choice, at: number) => void;
};

function One({ question, choice, change, choose }: Props) {
  const { several } = question;
  return (
    <div class="question" role="group" aria-label={exact(question.question)}>
      <p class="question-text">{exact(question.question)}</p>
      {several && <p class="dim">Choose any</p>}
      <div class="options">
        {question.options.filter(isAnswer).map((option) => (
          <Answer
            key={option.number}
            class="option"
            pressed={choice.options.includes(option.number)}
            give={(at) => choose(chosen(choice, option.number, several), at)}
          >
            <span class="tick" aria-hidden="true" />
            <span>
              {exact(option.label)}
              {option.description && option.description !== option.label && (
                <span class="dim">{exact(option.description)}</span>
              )}
            </span>
          </Answer>
        ))}
        <Answer
          class="option"
          pressed={choice.other}
          give={() => change({ ...choice, options: several ? choice.options : [], other: !choice.other })}
        >
          <span class="tick" aria-hidden="true" />
          <span>Other</span>
        </Answer>
      </div>
      {choice.other && (
        <label class="words">
          In your own words
          <textarea rows={2} value={choice.text} onInput={(event) => change({ ...choice, text: event.currentTarget.value })} />
        </label>
      )}
    </div>
  );
}
