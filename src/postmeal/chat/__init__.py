"""Health chat: answers about food and glucose, each sentence with its source.

A number in an answer is computed by the model or quoted from an article. Questions about
emergencies, self-harm, medicines and diagnoses get fixed texts.

``assistant``         answers the last message of a conversation
``answer``            the answer: sentences, passages, computations, and the text made of them
``amounts_said``      amounts in a question that belong to no food
``avoided_foods``     foods that a person avoids, and allergies
``body_size``         height and mass in a text
``clauses``           sentences and clauses, and which of them are past, asked or denied
``comparable_words``  words of a sentence in a form in which two sentences can be compared
``danger``            emergencies, self-harm and eating disorders in a text
``danger_model``      the same dangers, recognized by a model
``fixed_texts``       the fixed texts with their sources
``food_names``        whether the words of a message name a food
``gate``              reasons not to compute a meal
``glucose_unit``      the unit in which a conversation states glucose
``history``           the messages of a conversation
``language``          whether a text is in English
``meal_changes``      changes of the meal of the turn before
``meal_question``     what is asked about a meal, with the meals of the turns before
``meals``             the meals that a text names
``medicines``         questions about doses, medicines and diagnoses
``message_features``  features of a message for the danger model
``number_words``      numbers that are written as words
``person``            who eats, and when
``plain_messages``    the messages of a conversation in plain text
``readings``          glucose readings with their units
``replies``           replies to the question for the unit of a reading
``routes``            which kind of answer a message gets
``state``             the danger that lasts in a conversation
``subjects``          whom a clause is about
``tools``             what the library computes or finds for an answer, one file per tool
``wording``           the words of a message, and the patterns of ``patterns.toml``
"""

from postmeal.chat.answer import ChatAnswer, Computation, Sentence
from postmeal.chat.assistant import Assistant
from postmeal.chat.history import Message
from postmeal.chat.routes import Route

__all__ = ["Assistant", "ChatAnswer", "Computation", "Message", "Route", "Sentence"]
