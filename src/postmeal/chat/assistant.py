"""Assistant that answers the last message of a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from postmeal.chat.answer import ChatAnswer, Computation, Sentence
from postmeal.chat.avoided_foods import AvoidedFoods, avoided_foods
from postmeal.chat.cautions import cautions
from postmeal.chat.computation_gate import Stop, stop_of
from postmeal.chat.fixed_texts import fixed_text
from postmeal.chat.history import Message
from postmeal.chat.lists_in_text import list_of
from postmeal.chat.meal_question import MealQuestion, meal_question
from postmeal.chat.named_meals import NamedMeal
from postmeal.chat.person import Eater, eater_of
from postmeal.chat.plain_messages import plain_messages
from postmeal.chat.question_terms import question_terms, without_topics
from postmeal.chat.read_message import MEAL_INTENTS, read_messages
from postmeal.chat.routes import Route, Routed, route_of
from postmeal.chat.tools.alternatives import suggest_alternatives
from postmeal.chat.tools.compare_meals import compare_meals
from postmeal.chat.tools.explain import explain
from postmeal.chat.tools.literature import quote
from postmeal.chat.tools.meal_nutrients import meal_nutrients
from postmeal.chat.tools.predict_meal import predict_meal
from postmeal.chat.unit_replies import with_replies
from postmeal.errors import InputError
from postmeal.foods.catalog import Catalog
from postmeal.foods.words import words
from postmeal.glucose.predictor import Predictor
from postmeal.literature import Literature

_ADULT_YEARS = 18
_OFF_TOPIC = 0.4  # probability above which a message is not answered from the literature
_SHORT_WORDS = 15  # maximum number of words of a follow-up with another topic
_SURE = 0.6  # probability above which a message counts as a question about research
_WITHOUT_NOTE = frozenset(("emergency", "selfharm", "smalltalk"))


class Assistant:
    """Assistant for questions about food and glucose.

    The same conversation always gets the same answer. Several threads can use the same assistant
    at the same time.

    Parameters
    ----------
    catalog : Catalog
        Catalog in which the foods of meals are looked up.
    predictor : Predictor
        Model that predicts glucose curves.
    literature : Literature, optional
        Articles to quote. If omitted, the assistant does not answer questions about research.

    Examples
    --------
    >>> assistant = Assistant(Catalog.open(), Predictor.load())
    >>> answer = assistant.answer([Message("user", "how many carbs are in 150 g cooked rice?")])
    >>> answer.route, answer.sentences[1].text
    ('computed', 'Together this contains 42.3 g of carbohydrate.')
    """

    def __init__(
        self, catalog: Catalog, predictor: Predictor, literature: Literature | None = None
    ) -> None:
        self._catalog = catalog
        self._predictor = predictor
        self._literature = literature

    def answer(self, messages: Sequence[Message]) -> ChatAnswer:
        """Return the answer to the last message of a conversation.

        Parameters
        ----------
        messages : sequence of Message
            The conversation: system messages first, then messages of the user and the assistant.
            The last message must be from the user.

        Returns
        -------
        ChatAnswer
            The route of the message, and sentences with their sources and evidence.

        Raises
        ------
        InputError
            The messages are not a valid conversation, or exceed a limit: 200 messages, 100,000
            characters in total, 2,000 characters in a message of the user, and 10,000 characters
            in any other message.
        """
        conversation = plain_messages(messages)
        system = [each.content for each in conversation if each.role == "system"]
        said = [each.content for each in conversation if each.role == "user"]
        texts = with_replies(said, system)
        routed = route_of(texts, self._catalog, system)
        note = fixed_text("scope_note")[0]
        is_noted = any(note in each.content for each in conversation if each.role == "assistant")
        answer = self._answer(routed, texts, system)
        if is_noted or answer.route in _WITHOUT_NOTE:
            return answer
        return answer.with_note(note)

    def _answer(self, routed: Routed, texts: Sequence[str], system: Sequence[str]) -> ChatAnswer:
        if routed.question is not None:
            return self._computed(routed.question, texts, system, routed.reading)
        if routed.text:
            return _fixed(routed, texts[-1])
        said = [each.text for each in routed.read[-2:]]
        read = routed.read[-1]
        is_on_topic = read.likelihoods["scope"] <= _OFF_TOPIC
        if is_on_topic and (quoted := self._quoted(said)):
            return quoted
        is_research = read.likelihoods["research"] > _SURE
        fallback = None if is_research else meal_question([read], self._catalog, is_fallback=True)
        if fallback:
            return self._computed(fallback, texts, system, routed.reading)
        if read.intent in MEAL_INTENTS:
            return _fixed(Routed("clarify", "ask_meal"), said[-1])
        if (read.intent != "research" or not is_on_topic) and len(said) == 1:
            return _fixed(Routed("scope", "scope"), said[-1])
        return _fixed(Routed("nothing", "nothing"), said[-1])

    def _quoted(self, texts: Sequence[str]) -> ChatAnswer | None:
        """Return an answer to the last text that quotes articles, or None if no article answers it.

        A follow-up, such as "and in type 1?", is completed with the topic of the previous text. If
        no article is about the type of diabetes in the follow-up, the answer says so and quotes
        articles about another type. A short follow-up with another topic, such as "and oats?", is
        completed with the rest of the previous text.
        """
        if self._literature is None:
            return None
        question = texts[-1]
        terms = question_terms(question, self._catalog)
        is_follow_up = len(texts) > 1 and not terms.topics
        earlier = texts[-2] if is_follow_up else ""
        if is_follow_up:
            terms = terms.after(question_terms(earlier, self._catalog))
        first: tuple[Sentence, ...] = ()
        found = quote(self._literature, question, terms, earlier=earlier)
        if is_follow_up and not found.sentences:
            found = quote(self._literature, question, terms, earlier=earlier, any_kind=True)
            first = _sentences("other_kind")
        elif not found.sentences and len(texts) > 1 and len(question.split()) <= _SHORT_WORDS:
            frame = without_topics(texts[-2], question_terms(texts[-2], self._catalog))
            found = quote(self._literature, f"{frame} {question}", terms)
        if not found.sentences:
            return None
        sentences = (*first, *found.sentences)
        return ChatAnswer("literature", sentences, found.passages, question=question)

    def _computed(
        self, question: MealQuestion, texts: Sequence[str], system: Sequence[str], low: str
    ) -> ChatAnswer:
        """Return a computed answer, but predict nothing after a low reading in the conversation."""
        if low and question.asked != "meal_nutrients":
            return _fixed(Routed("low_glucose", "low_glucose", low), texts[-1])
        eater = eater_of([*system, *texts])
        avoided = AvoidedFoods()
        if question.asked == "alternatives":
            avoided = self._avoided([*system, *texts], question.options[0])
        stop = _stop(question, texts, eater, avoided)
        is_child = stop is not None and stop.name == "no_children"
        if is_child and question.asked in ("predict_meal", "compare_meals"):
            # The nutrients of a meal do not depend on the age of the person.
            question = replace(question, asked="meal_nutrients")
        elif stop:
            route: Route = "dosing" if stop.name == "dosing" else "clarify"
            return ChatAnswer(route, _sentences(stop.name, stop.said), question=texts[-1])
        try:
            computed = self._computations(question, eater, avoided)
        except InputError as error:  # the amounts of the meal are implausible
            sentence = Sentence(f"I cannot compute this meal: {error}.", "fixed")
            return ChatAnswer("clarify", (sentence, *_sentences("ask_meal")), question=texts[-1])
        sentences = (
            Sentence(fact, "computed", each.number) for each in computed for fact in each.facts
        )
        warned = (
            each for name in cautions(question, [*system, *texts]) for each in _sentences(name)
        )
        note = _sentences("no_children") if is_child else ()
        return ChatAnswer(
            "computed", (*sentences, *note, *warned), computed=computed, question=texts[-1]
        )

    def _avoided(self, texts: Sequence[str], meal: NamedMeal) -> AvoidedFoods:
        """Return the foods that alternatives must not contain.

        These are the foods that texts name as avoided or not eaten, and the unknown foods of the
        meal.
        """
        named = {
            word
            for one in meal.detections
            for word in words(f"{one.said} {one.selection.food.name}")
        }
        refused = (
            span.text(read.text)
            for read in read_messages(tuple(dict.fromkeys(texts)), self._catalog)
            for span in read.spans
            if not span.is_eaten
        )
        return avoided_foods(texts, (*refused, *meal.unread), named)

    def _computations(
        self, question: MealQuestion, eater: Eater, avoided: AvoidedFoods
    ) -> tuple[Computation, ...]:
        meal, predictor = question.options[0], self._predictor
        if question.asked == "compare_meals" and len(question.options) > 1:
            return compare_meals(predictor, question.options, eater, question.text)
        if question.asked == "meal_nutrients":
            return tuple(
                replace(meal_nutrients(each, eater, question.text), number=number)
                for number, each in enumerate(question.options, 1)
            )
        if question.asked == "alternatives":
            return suggest_alternatives(predictor, self._catalog, meal, eater, avoided)
        if question.asked == "explain":
            return (explain(predictor, meal, eater),)
        return (predict_meal(predictor, meal, eater, question.text),)


def _stop(
    question: MealQuestion, texts: Sequence[str], eater: Eater, avoided: AvoidedFoods
) -> Stop | None:
    """Return the fixed text that replaces a computed answer, or None."""
    if stop := stop_of(question, texts):
        return stop
    if avoided.unknown:
        return Stop("unknown_allergen", list_of(avoided.unknown))
    if avoided.unchecked_diets:
        return Stop("unknown_diet", list_of(avoided.unchecked_diets))
    if avoided.is_unclear:
        return Stop("ask_avoided")
    is_child = question.asked != "meal_nutrients" and (eater.profile.age or 0) < _ADULT_YEARS
    return Stop("no_children") if is_child else None


def _fixed(routed: Routed, question: str) -> ChatAnswer:
    sentences = _sentences(routed.text, routed.reading)
    if routed.care:
        sentences += _sentences(routed.care)
    if routed.route == "emergency" and routed.is_earlier and routed.text != "emergency_overdose":
        sentences += _sentences("still_emergency")
    return ChatAnswer(routed.route, sentences, question=question)


def _sentences(name: str, reading: str = "") -> tuple[Sentence, ...]:
    return tuple(Sentence(text, "fixed") for text in fixed_text(name, reading))
